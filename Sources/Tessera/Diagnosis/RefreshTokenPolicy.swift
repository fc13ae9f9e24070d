// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// A provider's documented rules for the lifetime of refresh tokens.
///
/// A ``Diagnosis`` uses the policy together with the session's history. A stored session contains only the ``name``,
/// and two policies are equal if they have the same name. Set the policy again when you create the ``Provider``.
public final class RefreshTokenPolicy: Sendable, Hashable {
    /// The name of the policy.
    public let name: String
    /// The lifetime in seconds of refresh tokens issued to a client in testing, or nil if there is no such limit.
    public let testingLifetime: Int64?
    /// The scopes that are exempt from the testing limit if no other scopes are granted.
    public let harmlessScopes: Set<Scope>
    /// The time in seconds after which an unused refresh token expires, or nil if there is no limit.
    public let idleLifetime: Int64?
    /// The number of concurrent sign-ins per account and client, or nil if there is no limit.
    public let signInLimit: Int64?
    /// The prefixes of scopes for which a password change revokes the refresh token.
    public let passwordScopes: [String]
    /// The meanings of the provider's `error` and `error_subtype` values.
    public let refusals: [String: Finding.Code]
    /// Advice specific to the provider, which replaces the general fix of a code.
    public let fixes: [Finding.Code: String]
    /// The expected certificate issuer for each host.
    ///
    /// Any other issuer indicates interception.
    public let certificateIssuers: [String: String]

    /// Creates a policy.
    public init(
        name: String,
        testingLifetime: Int64? = nil,
        harmlessScopes: Set<Scope> = [],
        idleLifetime: Int64? = nil,
        signInLimit: Int64? = nil,
        passwordScopes: [String] = [],
        refusals: [String: Finding.Code] = [:],
        fixes: [Finding.Code: String] = [:],
        certificateIssuers: [String: String] = [:]
    ) {
        self.name = name
        self.testingLifetime = testingLifetime
        self.harmlessScopes = harmlessScopes
        self.idleLifetime = idleLifetime
        self.signInLimit = signInLimit
        self.passwordScopes = passwordScopes
        self.refusals = refusals
        self.fixes = fixes
        self.certificateIssuers = certificateIssuers
    }

    /// Returns whether two policies have the same name.
    public static func == (left: RefreshTokenPolicy, right: RefreshTokenPolicy) -> Bool { left.name == right.name }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.name) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// What a provider documents about the end of the grants that it gives: what a diagnosis goes by, beside the session's
/// own history.
///
/// A stored session keeps the ``name`` only; rules are equal when their names are. Whoever makes the ``Provider`` again,
/// brings them.
public final class GrantRules: Sendable, Hashable {
    /// What the rules are called.
    public let name: String
    /// How long a grant lives that a client in testing got, in seconds; nil where there is no such thing.
    public let testingLifetime: Int64?
    /// The scopes that alone do not make such a grant end.
    public let harmlessScopes: Set<Scope>
    /// How long a grant may lie unused, in seconds; nil for ever.
    public let idleLifetime: Int64?
    /// How many sign-ins of one account with one client the provider keeps; nil for any number.
    public let signInLimit: Int64?
    /// What the scopes begin with that make a grant end when the person changes the password.
    public let passwordScopes: [String]
    /// What `error` and `error_subtype` of the provider mean.
    public let refusals: [String: Finding.Code]
    /// What helps, where the provider has better advice than the code.
    public let fixes: [Finding.Code: String]
    /// Who signs the certificates of a host, where that is known: anybody else stands between.
    public let certificateIssuers: [String: String]

    /// Rules.
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

    /// Rules are equal when their names are.
    public static func == (left: GrantRules, right: GrantRules) -> Bool { left.name == right.name }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.name) }
}

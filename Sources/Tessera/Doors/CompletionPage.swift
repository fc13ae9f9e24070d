// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// What the last page of a sign-in, or of a sign-out, says.
///
/// Only what the person may see: no code, no token.
public struct CompletionPage: Sendable, Hashable {
    /// Who signed in, as the person knows it: an email address or a name.
    public var account: String?
    /// The provider, as the person knows it: `Google`, or a host name.
    public var provider: String
    /// The program that asked.
    public var application: String?
    /// What was granted.
    public var granted: [Scope]
    /// What was asked for and not granted.
    public var missing: [Scope]
    /// Whether the person has signed out, not in.
    public var isSignOut: Bool

    /// The contents of a last page.
    public init(
        account: String?,
        provider: String,
        application: String? = nil,
        granted: [Scope] = [],
        missing: [Scope] = [],
        isSignOut: Bool = false
    ) {
        self.account = account
        self.provider = provider
        self.application = application
        self.granted = granted
        self.missing = missing
        self.isSignOut = isSignOut
    }
}

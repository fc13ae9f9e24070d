// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// What a sign-in asks for beside the scopes.
public struct SignInOptions: Sendable {
    /// What the provider should show.
    public var prompt: [Prompt]
    /// Who is expected: an email address or a subject.
    public var loginHint: String?
    /// How long ago the person may have signed in at the provider, in seconds.
    public var maxAge: Int?
    /// Languages of the provider's pages.
    public var uiLocales: [String]
    /// More parameters of the authorization request.
    public var additionalParameters: [String: String]
    /// Claims of the ID token that must have these values, for example `hd` at Google.
    public var requiredClaims: [String: String]
    /// Who the person is.
    public var identity: IdentitySource
    /// A name of the caller's for the account.
    public var label: String?
    /// What the last page calls the program.
    public var applicationName: String?
    /// Origins beside the provider's own that the session's tokens may be sent to.
    public var authorizedOrigins: [OriginPattern]
    /// Whether earlier grants are asked to be included when scopes are added, where the provider documents how.
    public var includesEarlierGrants: Bool
    /// `installed` or `web`, for the history.
    public var clientType: String?
    /// How long the person may take.
    public var timeout: Duration

    /// Options; five minutes for the person by default.
    public init(
        prompt: [Prompt] = [],
        loginHint: String? = nil,
        maxAge: Int? = nil,
        uiLocales: [String] = [],
        additionalParameters: [String: String] = [:],
        requiredClaims: [String: String] = [:],
        identity: IdentitySource = .idToken,
        label: String? = nil,
        applicationName: String? = nil,
        authorizedOrigins: [OriginPattern] = [],
        includesEarlierGrants: Bool = true,
        clientType: String? = nil,
        timeout: Duration = .seconds(300)
    ) {
        self.prompt = prompt
        self.loginHint = loginHint
        self.maxAge = maxAge
        self.uiLocales = uiLocales
        self.additionalParameters = additionalParameters
        self.requiredClaims = requiredClaims
        self.identity = identity
        self.label = label
        self.applicationName = applicationName
        self.authorizedOrigins = authorizedOrigins
        self.includesEarlierGrants = includesEarlierGrants
        self.clientType = clientType
        self.timeout = timeout
    }
}

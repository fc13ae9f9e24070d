// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What is asked of the authorization endpoint: the code grant with PKCE; other response types do not exist here.
///
/// - SeeAlso: [RFC 6749, section 4.1.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.1),
///   [OpenID Connect Core 1.0, section 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
public struct AuthorizationRequest: Sendable, Hashable {
    /// `redirect_uri`.
    public var redirectURI: RedirectURI
    /// `scope`, in this order, each once.
    public var scopes: [Scope]
    /// `prompt`.
    public var prompt: [Prompt]
    /// `login_hint`: an email address or a subject, to spare the person the choice of the account.
    public var loginHint: String?
    /// `max_age` in seconds: how long ago the person may have signed in.
    public var maxAge: Int?
    /// `acr_values`.
    public var acrValues: [String]
    /// `ui_locales`.
    public var uiLocales: [String]
    /// More parameters; none of those that this module writes itself.
    public var additionalParameters: [String: String]

    /// A request.
    public init(
        redirectURI: RedirectURI,
        scopes: [Scope],
        prompt: [Prompt] = [],
        loginHint: String? = nil,
        maxAge: Int? = nil,
        acrValues: [String] = [],
        uiLocales: [String] = [],
        additionalParameters: [String: String] = [:]
    ) {
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.prompt = prompt
        self.loginHint = loginHint
        self.maxAge = maxAge
        self.acrValues = acrValues
        self.uiLocales = uiLocales
        self.additionalParameters = additionalParameters
    }

    /// Whether an ID token is asked for.
    public var asksForIDToken: Bool { self.scopes.contains(.openID) }

    /// Names that only this module writes.
    static let reservedNames: Set<String> = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri", "prompt", "login_hint",
        "max_age", "acr_values", "ui_locales", "code", "grant_type", "access_token", "id_token", "refresh_token",
    ]

    /// The parameters, in the order of sending.
    func parameters(
        clientID: String,
        state: Secret,
        nonce: Secret?,
        codeVerifier: CodeVerifier
    ) throws(InvalidRequest) -> FormParameters {
        try self.check()
        var form = FormParameters()
        form.append("response_type", "code")
        form.append("client_id", clientID)
        form.append("redirect_uri", self.redirectURI.uri)
        form.append("scope", self.scopes.isEmpty ? nil : try ScopeList.text(self.scopes))
        form.append("state", state.withUnredacted { $0 })
        form.append("nonce", nonce?.withUnredacted { $0 })
        form.append("code_challenge", codeVerifier.codeChallenge)
        form.append("code_challenge_method", "S256")
        form.append("prompt", self.prompt.isEmpty ? nil : self.prompt.map(\.rawValue).joined(separator: " "))
        form.append("login_hint", self.loginHint)
        form.append("max_age", self.maxAge.map(String.init))
        form.append("acr_values", self.acrValues.isEmpty ? nil : self.acrValues.joined(separator: " "))
        form.append("ui_locales", self.uiLocales.isEmpty ? nil : self.uiLocales.joined(separator: " "))
        for (name, value) in self.additionalParameters.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return form
    }

    private func check() throws(InvalidRequest) {
        if let name = self.additionalParameters.keys.sorted().first(where: Self.reservedNames.contains) {
            throw InvalidRequest(name, reason: "this parameter is written by the request itself")
        }
        if self.prompt.contains(.none), self.prompt.count > 1 {
            throw InvalidRequest("prompt", reason: "none stands alone")
        }
        if let maxAge, maxAge < 0 { throw InvalidRequest("max_age", reason: "seconds cannot be negative") }
    }
}

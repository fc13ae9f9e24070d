// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What is asked of a provider's end-session endpoint: that the person be signed out there too.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, section 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
public struct EndSessionRequest: Sendable, Hashable {
    /// `id_token_hint`: the ID token of the session that ends; without one most providers ask the person first.
    public var idTokenHint: Secret?
    /// `post_logout_redirect_uri`: where the person comes back to, as it is registered; nil for nowhere.
    public var postLogoutRedirectURI: RedirectURI?
    /// `state`: one that the caller has sent already; nil is a random one.
    package var state: Secret?
    /// `logout_hint`: who signs out, where there is no ID token.
    public var logoutHint: String?
    /// `ui_locales`: languages of the provider's pages.
    public var uiLocales: [String]
    /// More parameters; none of those that this module writes itself.
    public var additionalParameters: [String: String]

    /// A request.
    public init(
        idTokenHint: Secret?,
        postLogoutRedirectURI: RedirectURI? = nil,
        logoutHint: String? = nil,
        uiLocales: [String] = [],
        additionalParameters: [String: String] = [:]
    ) {
        self.idTokenHint = idTokenHint
        self.postLogoutRedirectURI = postLogoutRedirectURI
        self.logoutHint = logoutHint
        self.uiLocales = uiLocales
        self.additionalParameters = additionalParameters
    }

    private static let reservedNames: Set<String> = [
        "id_token_hint", "client_id", "post_logout_redirect_uri", "state", "logout_hint", "ui_locales",
    ]

    /// The parameters, in the order of sending.
    func parameters(clientID: String, state: Secret?) throws(InvalidRequestError) -> FormParameters {
        if let name = self.additionalParameters.keys.sorted().first(where: Self.reservedNames.contains) {
            throw InvalidRequestError(name, reason: "this parameter is written by the request itself")
        }
        var form = FormParameters()
        form.append("id_token_hint", self.idTokenHint?.withUnredacted { $0 })
        form.append("client_id", clientID)
        form.append("post_logout_redirect_uri", self.postLogoutRedirectURI?.uri)
        form.append("state", state?.withUnredacted { $0 })
        form.append("logout_hint", self.logoutHint)
        form.append("ui_locales", self.uiLocales.isEmpty ? nil : self.uiLocales.joined(separator: " "))
        for (name, value) in self.additionalParameters.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return form
    }
}

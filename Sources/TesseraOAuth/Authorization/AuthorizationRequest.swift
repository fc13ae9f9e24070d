// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// An authorization request for the authorization code grant with PKCE.
///
/// Response types that return no code, or that return an access token, are not supported.
///
/// - SeeAlso: [RFC 6749, section 4.1.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.1),
///   [OpenID Connect Core 1.0, section 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
public struct AuthorizationRequest: Sendable, Hashable {
    /// The URI to which the provider redirects the browser (`redirect_uri`).
    public var redirectURI: RedirectURI
    /// The requested scopes (`scope`), sent in this order and without duplicates.
    public var scopes: [Scope]
    /// The response type (`response_type`): a code, or a code and an ID token in the hybrid flow.
    public var responseType: ResponseType
    /// The response mode (`response_mode`), or nil to use the default for the response type.
    ///
    /// By default, a code alone is returned in the query, and a code with an ID token in the fragment. A code alone
    /// cannot be returned in the fragment. A code with an ID token can be returned in the fragment or by form post.
    public var responseMode: ResponseMode?
    /// The pages that the provider must show (`prompt`).
    ///
    /// If this is empty and the scopes include `offline_access`, the request sends `consent`, as OpenID Connect
    /// requires.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 11](https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess)
    public var prompt: [Prompt]
    /// The expected user's email address or subject (`login_hint`), which preselects the account.
    public var loginHint: String?
    /// The maximum time since the user last signed in, in seconds (`max_age`).
    public var maxAge: Int?
    /// The requested authentication context classes (`acr_values`), in order of preference.
    public var acrValues: [String]
    /// The user's preferred languages (`ui_locales`), in order of preference.
    public var uiLocales: [String]
    /// The way in which the provider displays its page (`display`), which is `page`, `popup`, `touch` or `wap`.
    public var display: String?
    /// An ID token for the expected user (`id_token_hint`).
    ///
    /// The authorization URL contains this token unless the request is pushed.
    public var idTokenHint: Secret?
    /// The nonce (`nonce`), or nil to generate one.
    ///
    /// Set a nonce only if your server issues it and compares it with the ID token. The nonce must be unguessable and
    /// used only once. It is sent only if the `openid` scope is requested.
    public var nonce: Secret?
    /// The state (`state`) that the caller has already sent, or nil to generate one.
    package var state: Secret?
    /// The individual claims to request (`claims`), in addition to those that the scopes include.
    public var claims: ClaimsRequest
    /// The APIs that the tokens are for (`resource`), as absolute URIs without a fragment.
    ///
    /// They are sent again when the code is exchanged.
    ///
    /// - SeeAlso: [RFC 8707, section 2](https://www.rfc-editor.org/rfc/rfc8707.html#section-2)
    public var resources: [String]
    /// Permissions that are more detailed than scopes (`authorization_details`).
    public var authorizationDetails: [AuthorizationDetail]
    /// Additional parameters, which cannot replace parameters that the library sets.
    public var additionalParameters: [String: String]

    /// Creates a request.
    public init(
        redirectURI: RedirectURI,
        scopes: [Scope],
        responseType: ResponseType = .code,
        responseMode: ResponseMode? = nil,
        prompt: [Prompt] = [],
        loginHint: String? = nil,
        maxAge: Int? = nil,
        acrValues: [String] = [],
        uiLocales: [String] = [],
        display: String? = nil,
        idTokenHint: Secret? = nil,
        nonce: Secret? = nil,
        claims: ClaimsRequest = ClaimsRequest(),
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail] = [],
        additionalParameters: [String: String] = [:]
    ) {
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.responseType = responseType
        self.responseMode = responseMode
        self.prompt = prompt
        self.loginHint = loginHint
        self.maxAge = maxAge
        self.acrValues = acrValues
        self.uiLocales = uiLocales
        self.display = display
        self.idTokenHint = idTokenHint
        self.nonce = nonce
        self.claims = claims
        self.resources = resources
        self.authorizationDetails = authorizationDetails
        self.additionalParameters = additionalParameters
    }

    /// Whether an ID token is requested.
    var requestsIDToken: Bool { self.scopes.contains(.openID) }

    /// The requested response mode, or the default for the response type.
    package var effectiveResponseMode: ResponseMode {
        self.responseMode ?? self.responseType.defaultResponseMode
    }

    /// The parameters that callers cannot set.
    static let reservedNames: Set<String> = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri", "prompt", "login_hint",
        "max_age", "acr_values", "ui_locales", "display", "id_token_hint", "claims", "resource",
        "authorization_details", "code", "grant_type", "access_token", "id_token", "refresh_token",
        "dpop_jkt",
    ]

    /// Returns the request with the `consent` prompt added if its scopes require it and no prompt is set.
    ///
    /// OpenID Connect Core 1.0, section 11, requires `consent` for `offline_access`. The prompt is not added if the
    /// provider's metadata lists the supported prompts and `consent` is not among them.
    func withDefaultPrompt(at metadata: ServerMetadata) -> AuthorizationRequest {
        guard self.prompt.isEmpty, self.scopes.contains(.offlineAccess),
            metadata.promptValuesSupported?.contains(Prompt.consent.rawValue) ?? true
        else { return self }
        var request = self
        request.prompt = [.consent]
        return request
    }

    /// Returns the parameters in the order in which they are sent.
    func parameters(
        clientID: String,
        state: Secret,
        nonce: Secret?,
        codeVerifier: CodeVerifier,
        dpopKey: DPoPKey?
    ) throws -> FormParameters {
        try self.check()
        var form = FormParameters()
        form.append("response_type", self.responseType.rawValue)
        form.append("response_mode", self.responseMode?.rawValue)
        form.append("client_id", clientID)
        form.append("redirect_uri", self.redirectURI.uri)
        form.append("scope", self.scopes.isEmpty ? nil : try ScopeList.text(self.scopes))
        form.append("state", state.withUnredacted { $0 })
        form.append("nonce", nonce?.withUnredacted { $0 })
        form.append("code_challenge", codeVerifier.codeChallenge)
        form.append("code_challenge_method", "S256")
        // RFC 9449, section 10: the code is bound to the key, so only its owner can exchange the code.
        form.append("dpop_jkt", dpopKey?.thumbprint)
        form.append("prompt", Self.list(self.prompt.map(\.rawValue)))
        form.append("login_hint", self.loginHint)
        form.append("max_age", self.maxAge.map(String.init))
        form.append("acr_values", Self.list(self.acrValues))
        form.append("ui_locales", Self.list(self.uiLocales))
        form.append("display", self.display)
        form.append("id_token_hint", self.idTokenHint?.withUnredacted { $0 })
        form.append("claims", self.claims.parameter)
        try form.append(resources: self.resources)
        form.append("authorization_details", try AuthorizationDetail.parameter(self.authorizationDetails))
        for (name, value) in self.additionalParameters.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return form
    }

    private static func list(_ values: [String]) -> String? { values.isEmpty ? nil : values.joined(separator: " ") }

    private func check() throws {
        if let name = self.additionalParameters.keys.sorted().first(where: Self.reservedNames.contains) {
            throw InvalidRequestError(name, reason: "this parameter is set by the library")
        }
        if self.prompt.contains(.none), self.prompt.count > 1 {
            throw InvalidRequestError("prompt", reason: "none cannot be combined with other values")
        }
        try self.checkResponse()
        if let nonce, nonce.withUnredacted(\.isEmpty) { throw InvalidRequestError("nonce", reason: "it is empty") }
        if let maxAge, maxAge < 0 { throw InvalidRequestError("max_age", reason: "it is negative") }
    }

    private func checkResponse() throws {
        let mode = self.effectiveResponseMode
        switch self.responseType {
        case .code:
            guard mode != .fragment else {
                throw InvalidRequestError("response_mode", reason: "a code cannot be returned in the fragment")
            }
        case .codeIDToken:
            guard self.requestsIDToken else {
                throw InvalidRequestError("response_type", reason: "id_token requires the 'openid' scope")
            }
            // OAuth 2.0 Multiple Response Type Encoding Practices, section 5: an ID token is never returned in the
            // query.
            guard mode == .fragment || mode == .formPost else {
                throw InvalidRequestError("response_mode", reason: "an ID token requires fragment or form_post")
            }
        }
    }
}

/// A permission that is more detailed than a scope, sent as an element of `authorization_details`.
///
/// - SeeAlso: [RFC 9396, section 2](https://www.rfc-editor.org/rfc/rfc9396.html#section-2)
public struct AuthorizationDetail: Sendable, Hashable {
    /// The type of the permission (`type`), which determines its other members.
    public var type: String
    /// The members other than `type`, with unique names.
    public var members: [JSONMember]

    /// Creates an authorization detail, which is validated when the request is built.
    public init(type: String, members: [JSONMember] = []) {
        self.type = type
        self.members = members
    }

    /// Returns the value of the `authorization_details` parameter, or nil if there are no details.
    static func parameter(_ details: [AuthorizationDetail]) throws -> String? {
        guard !details.isEmpty else { return nil }
        for detail in details {
            let names = ["type"] + detail.members.map(\.name)
            guard !detail.type.isEmpty, Set(names).count == names.count else {
                throw InvalidRequestError("authorization_details", reason: "each needs a type and unique member names")
            }
        }
        return
            JSONNode.array(
                details.map { .object([JSONMember(name: "type", value: .string($0.type))] + $0.members) }
            )
            .text()
    }
}

/// A page that the provider must show to the user.
///
/// Prompts can be combined, except for ``none``.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
public struct Prompt: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The value of the `prompt` parameter.
    public let rawValue: String
    /// Creates a prompt from a `prompt` parameter value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a prompt from a `prompt` parameter value.
    public init(stringLiteral value: String) { self.rawValue = value }

    /// The provider must not show a page, and immediately returns a code or an error.
    public static let none: Prompt = "none"
    /// The user must sign in again.
    public static let login: Prompt = "login"
    /// The user must give consent, even if they have given it before.
    public static let consent: Prompt = "consent"
    /// The user must select an account.
    public static let selectAccount: Prompt = "select_account"
}

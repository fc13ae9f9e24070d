// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// What is asked of the authorization endpoint: the code grant with PKCE; response types without a code, or with an
/// access token, do not exist here.
///
/// - SeeAlso: [RFC 6749, section 4.1.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.1),
///   [OpenID Connect Core 1.0, section 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
public struct AuthorizationRequest: Sendable, Hashable {
    /// `redirect_uri`.
    public var redirectURI: RedirectURI
    /// `scope`, in this order, each once.
    public var scopes: [Scope]
    /// `response_type`: a code, or in the hybrid flow a code and an ID token.
    public var responseType: ResponseType
    /// `response_mode`; nil asks for none, and is the query for a code, the fragment for a code and an ID token.
    ///
    /// A code alone cannot come in the fragment; with an ID token it comes in the fragment or by form post.
    public var responseMode: ResponseMode?
    /// `prompt`.
    ///
    /// If it is empty and the scopes contain `offline_access`, `consent` is sent: OpenID Connect requires it there.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 11](https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess)
    public var prompt: [Prompt]
    /// `login_hint`: an email address or a subject, to spare the person the choice of the account.
    public var loginHint: String?
    /// `max_age` in seconds: how long ago the person may have signed in.
    public var maxAge: Int?
    /// `acr_values`.
    public var acrValues: [String]
    /// `ui_locales`.
    public var uiLocales: [String]
    /// `display`: `page`, `popup`, `touch` or `wap`.
    public var display: String?
    /// `id_token_hint`: an ID token of the person who is expected.
    ///
    /// It stands in the authorization URL, unless the request is pushed.
    public var idTokenHint: Secret?
    /// `nonce`: one of the caller's own, for a server that gave it and compares it in the ID token; nil is a random one.
    ///
    /// It has to be unguessable and used once. Without the scope `openid` none is sent.
    public var nonce: Secret?
    /// `state`: one that the caller has sent already; nil is a random one.
    package var state: Secret?
    /// `claims`: single claims beside those of the scopes.
    public var claims: ClaimsRequest
    /// `resource`: where the tokens are meant to be used, absolute URIs without a fragment.
    ///
    /// They are sent with the code too.
    ///
    /// - SeeAlso: [RFC 8707, section 2](https://www.rfc-editor.org/rfc/rfc8707.html#section-2)
    public var resources: [String]
    /// `authorization_details`.
    public var authorizationDetails: [AuthorizationDetail]
    /// More parameters; none of those that this module writes itself.
    public var additionalParameters: [String: String]

    /// A request.
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

    /// Whether an ID token is asked for.
    var asksForIDToken: Bool { self.scopes.contains(.openID) }

    /// How the answer will come.
    package var effectiveResponseMode: ResponseMode {
        self.responseMode ?? self.responseType.usualResponseMode
    }

    /// Names that only this module writes.
    static let reservedNames: Set<String> = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri", "prompt", "login_hint",
        "max_age", "acr_values", "ui_locales", "display", "id_token_hint", "claims", "resource",
        "authorization_details", "code", "grant_type", "access_token", "id_token", "refresh_token",
        "dpop_jkt",
    ]

    /// The request with the prompt that its scopes need, where the caller named none.
    ///
    /// OpenID Connect Core 1.0, section 11: for `offline_access` the prompt has to contain `consent`. A provider whose
    /// metadata lists prompts without `consent` does not know it.
    func withDefaultPrompt(at metadata: ServerMetadata) -> AuthorizationRequest {
        guard self.prompt.isEmpty, self.scopes.contains(.offlineAccess),
            metadata.promptValuesSupported?.contains(Prompt.consent.rawValue) ?? true
        else { return self }
        var request = self
        request.prompt = [.consent]
        return request
    }

    /// The parameters, in the order of sending.
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
        // RFC 9449, section 10: the code is bound to the key, so that nobody else can exchange it.
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
            throw InvalidRequestError(name, reason: "this parameter is written by the request itself")
        }
        if self.prompt.contains(.none), self.prompt.count > 1 {
            throw InvalidRequestError("prompt", reason: "none stands alone")
        }
        try self.checkResponse()
        if let nonce, nonce.withUnredacted(\.isEmpty) { throw InvalidRequestError("nonce", reason: "it is empty") }
        if let maxAge, maxAge < 0 { throw InvalidRequestError("max_age", reason: "seconds cannot be negative") }
    }

    private func checkResponse() throws {
        let mode = self.effectiveResponseMode
        switch self.responseType {
        case .code:
            guard mode != .fragment else {
                throw InvalidRequestError("response_mode", reason: "a code alone does not come in the fragment")
            }
        case .codeIDToken:
            guard self.asksForIDToken else {
                throw InvalidRequestError("response_type", reason: "id_token needs openid")
            }
            // OAuth 2.0 Multiple Response Type Encoding Practices, section 5: never in the query.
            guard mode == .fragment || mode == .formPost else {
                throw InvalidRequestError("response_mode", reason: "an ID token comes in the fragment or by form post")
            }
        }
    }
}

/// One thing that is asked for in more detail than a scope can tell: an element of `authorization_details`.
///
/// - SeeAlso: [RFC 9396, section 2](https://www.rfc-editor.org/rfc/rfc9396.html#section-2)
public struct AuthorizationDetail: Sendable, Hashable {
    /// `type`: what kind of thing; it says which members there are.
    public var type: String
    /// The members beside `type`, each once.
    public var members: [JSONMember]

    /// A detail; it is checked when the request is built.
    public init(type: String, members: [JSONMember] = []) {
        self.type = type
        self.members = members
    }

    /// The parameter's value; nil where there are no details.
    static func parameter(_ details: [AuthorizationDetail]) throws -> String? {
        guard !details.isEmpty else { return nil }
        for detail in details {
            let names = ["type"] + detail.members.map(\.name)
            guard !detail.type.isEmpty, Set(names).count == names.count else {
                throw InvalidRequestError("authorization_details", reason: "each has a type, and each member once")
            }
        }
        return
            JSONNode.array(
                details.map { .object([JSONMember(name: "type", value: .string($0.type))] + $0.members) }
            )
            .text()
    }
}

/// What the provider should show to the person; values may be combined, but `none` stands alone.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
public struct Prompt: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The value as it stands in the request.
    public let rawValue: String
    /// A value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A value.
    public init(stringLiteral value: String) { self.rawValue = value }

    /// No page at all: an answer or an error at once.
    public static let none: Prompt = "none"
    /// The person signs in anew.
    public static let login: Prompt = "login"
    /// The person is asked for consent even where it was given before.
    public static let consent: Prompt = "consent"
    /// The person chooses an account.
    public static let selectAccount: Prompt = "select_account"
}

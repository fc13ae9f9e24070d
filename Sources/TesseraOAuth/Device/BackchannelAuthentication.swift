// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE
public import TesseraJSON

/// A question that the provider is asking a person: what its answer is polled for with.
///
/// - SeeAlso: [OpenID Connect CIBA Core 1.0, section 7.3](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html#successful_authentication_request_acknowdlegment)
public struct BackchannelAuthentication: Sendable {
    /// `auth_req_id`.
    public let authenticationRequestID: Secret
    /// `expires_in`: how long the person has, in seconds, from the answer on.
    public var expiresIn: Int64 { self.grant.expiresIn }
    /// `interval`: how long to wait between two questions, in seconds; 5 where the provider does not say, at least 1.
    public var interval: Int64 { self.grant.interval }
    /// The whole answer, for members that have no property.
    public let document: JSONValue
    package let grant: PendingGrant

    init(_ fields: JSONFields, uptime: Int64) throws {
        let authenticationRequestID = Secret(try fields.requiredString("auth_req_id"))
        self.authenticationRequestID = authenticationRequestID
        self.document = fields.object
        self.grant = try PendingGrant(
            fields,
            request: .backchannelAuthentication(authenticationRequestID),
            uptime: uptime
        )
    }
}

extension TokenRequest {
    /// Asks once whether the person has decided; ``RegisteredClient/tokens(for:)-(BackchannelAuthentication)`` asks until
    /// then.
    ///
    /// An answer without an ID token is refused.
    ///
    /// - Parameters:
    ///   - authenticationRequestID: the `auth_req_id`.
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
    /// - SeeAlso: [OpenID Connect CIBA Core 1.0, section 10.1](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html#token_request)
    public static func backchannelAuthentication(
        _ authenticationRequestID: Secret,
        at tokenEndpoint: Endpoint? = nil
    ) -> TokenRequest {
        TokenRequest(
            "urn:openid:params:grant-type:ciba",
            ["auth_req_id": authenticationRequestID],
            at: tokenEndpoint,
            expectation: TokenExpectation(idTokenRequired: true)
        )
    }
}

extension RegisteredClient {
    /// Asks until the person has decided, never faster than the provider allows.
    ///
    /// The ID token among the tokens is not validated yet: set
    /// ``IDTokenPolicy/authenticationRequestID`` when you do. Failures and cancellation are as for the device grant:
    /// ``tokens(for:)-(DeviceAuthorization)``.
    ///
    /// - Throws: ``OAuthError`` `access_denied` for a no; `expired_token` at the end of the lifetime, whatever the
    ///   provider says then; any other error of the token endpoint; `CancellationError`.
    /// - SeeAlso: [OpenID Connect CIBA Core 1.0, section 10.1](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html#token_request)
    public func tokens(for authentication: BackchannelAuthentication) async throws -> TokenResponse {
        try await self.decision(on: authentication.grant)
    }
}

/// Asks the provider to ask a person on a device of theirs, which need not be this one (CIBA); the answer is polled for.
///
/// - SeeAlso: [OpenID Connect CIBA Core 1.0, section 7.1](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html#auth_request)
public struct BackchannelAuthenticationRequest: EndpointRequest {
    /// Who is meant: exactly one of these is sent.
    public enum Hint: Sendable, Hashable {
        /// `login_hint`: an email address, a phone number, a subject.
        case loginHint(String)
        /// `login_hint_token`: a token that names the person.
        case loginHintToken(Secret)
        /// `id_token_hint`: an ID token of an earlier sign-in.
        case idTokenHint(Secret)
    }

    /// `scope`; has to contain `openid`.
    public var scopes: [Scope]
    /// Who is meant.
    public var hint: Hint
    /// `binding_message`: a short text that both devices show, so that the person sees that they belong together.
    public var bindingMessage: String?
    /// `user_code`: what only the person knows, where the provider wants it.
    public var userCode: Secret?
    /// `requested_expiry` in seconds.
    public var requestedExpiry: Int?
    /// `acr_values`.
    public var acrValues: [String]
    /// More parameters; none of those that this type writes itself.
    public var additionalParameters: [String: String]
    /// A backchannel authentication.
    public var exchange: OAuthExchange { .backchannelAuthentication }

    /// A request.
    public init(
        scopes: [Scope],
        hint: Hint,
        bindingMessage: String? = nil,
        userCode: Secret? = nil,
        requestedExpiry: Int? = nil,
        acrValues: [String] = [],
        additionalParameters: [String: String] = [:]
    ) {
        self.scopes = scopes
        self.hint = hint
        self.bindingMessage = bindingMessage
        self.userCode = userCode
        self.requestedExpiry = requestedExpiry
        self.acrValues = acrValues
        self.additionalParameters = additionalParameters
    }

    /// Names that only this type writes; those of the ping and push modes are not for a client that polls.
    private static let reservedNames: Set<String> = [
        "login_hint", "login_hint_token", "id_token_hint", "binding_message", "user_code", "requested_expiry",
        "acr_values", "client_notification_token", "request",
    ]

    private var parameters: FormParameters {
        get throws {
            guard self.scopes.contains(.openID) else {
                throw InvalidRequestError("scope", reason: "a backchannel authentication asks for openid")
            }
            if let requestedExpiry, requestedExpiry < 1 {
                throw InvalidRequestError("requested_expiry", reason: "seconds have to be positive")
            }
            var form = FormParameters()
            try form.append(scopes: self.scopes)
            switch self.hint {
            case .loginHint(let hint): form.append("login_hint", hint)
            case .loginHintToken(let token): form.append("login_hint_token", token.withUnredacted { $0 })
            case .idTokenHint(let token): form.append("id_token_hint", token.withUnredacted { $0 })
            }
            form.append("binding_message", self.bindingMessage)
            form.append("user_code", self.userCode?.withUnredacted { $0 })
            form.append("requested_expiry", self.requestedExpiry.map(String.init))
            form.append("acr_values", self.acrValues.isEmpty ? nil : self.acrValues.joined(separator: " "))
            try form.append(
                additional: self.additionalParameters.sorted { $0.key < $1.key },
                reserved: Self.reservedNames
            )
            return form
        }
    }

    /// The request, ready to be sent, with the client's proof.
    ///
    /// - Throws: ``InvalidRequestError``; `missingMetadata` without a backchannel authentication endpoint, or where the
    ///   provider lets no client poll.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        let endpoint = try client.endpoint(
            \.backchannelAuthenticationEndpoint,
            "backchannel_authentication_endpoint"
        )
        if let modes = client.metadata.backchannelTokenDeliveryModesSupported, !modes.contains("poll") {
            throw ProtocolViolationError(
                .missingMetadata,
                expected: "poll in backchannel_token_delivery_modes_supported",
                actual: modes.joined(separator: " "),
                section: "OpenID Connect CIBA Core 1.0, section 4"
            )
        }
        try client.checkIDTokenAlgorithms()
        return try client.post(try self.parameters, to: endpoint)
    }

    /// Turns the answer into what is polled with.
    ///
    /// - Throws: ``OAuthError``, ``HTTPStatusError``; `backchannelAuthentication` for missing members and an interval
    ///   that cannot be followed.
    public func answer(
        _ response: HTTPResponse,
        body: [UInt8],
        for client: RegisteredClient
    ) throws -> BackchannelAuthentication {
        try OAuthErrorResponse.check(
            response,
            body: body,
            endpoint: "backchannel authentication endpoint",
            sent: self.parameters
        )
        let fields = try JSONFields(
            parsing: body,
            rule: .backchannelAuthentication,
            subject: "the backchannel authentication"
        )
        return try BackchannelAuthentication(fields, uptime: client.runtime.uptime())
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE
public import TesseraJSON

/// A pending authentication that the user approves or denies on their own device.
///
/// Poll for the decision with ``RegisteredClient/tokens(for:)-(BackchannelAuthentication)``.
///
/// - SeeAlso: [OpenID Connect CIBA Core 1.0, section 7.3](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html#successful_authentication_request_acknowdlegment)
public struct BackchannelAuthentication: Sendable {
    /// The ID of the authentication (`auth_req_id`).
    public let authenticationRequestID: Secret
    /// The time that the user has to decide, in seconds after the response (`expires_in`).
    public var expiresIn: Int64 { self.grant.expiresIn }
    /// The time between polling requests, in seconds (`interval`).
    ///
    /// It is at least 1 and defaults to 5.
    public var interval: Int64 { self.grant.interval }
    /// The whole response, including members that have no property.
    public let document: JSONValue
    package let grant: PolledGrant

    init(_ fields: JSONFields, uptime: Int64) throws {
        let authenticationRequestID = Secret(try fields.requiredString("auth_req_id"))
        self.authenticationRequestID = authenticationRequestID
        self.document = fields.object
        self.grant = try PolledGrant(
            fields,
            request: .backchannelAuthentication(authenticationRequestID),
            uptime: uptime
        )
    }
}

extension TokenRequest {
    /// Creates a request that polls once for the user's decision.
    ///
    /// ``RegisteredClient/tokens(for:)-(BackchannelAuthentication)`` polls until there is a decision. A response
    /// without an ID token is rejected.
    ///
    /// - Parameters:
    ///   - authenticationRequestID: The `auth_req_id`.
    ///   - tokenEndpoint: The token endpoint, or nil to use the one in the metadata.
    /// - Returns: The request.
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
    /// Polls until the user decides, and returns the tokens.
    ///
    /// This method never polls faster than the provider allows. It does not validate the ID token. When you validate
    /// it, set ``IDTokenPolicy/authenticationRequestID``. Failures and cancellation are handled as in
    /// ``tokens(for:)-(DeviceAuthorization)``.
    ///
    /// - Throws: ``OAuthError`` with `access_denied` if the user denies the request, or `expired_token` when the
    ///   lifetime ends, regardless of the provider's response. Also throws any other error from the token endpoint, or
    ///   `CancellationError`.
    /// - SeeAlso: [OpenID Connect CIBA Core 1.0, section 10.1](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html#token_request)
    public func tokens(for authentication: BackchannelAuthentication) async throws -> TokenResponse {
        try await self.decision(on: authentication.grant)
    }
}

/// A request to authenticate a user on the user's own device, which need not be the current one (CIBA).
///
/// The provider contacts the user, and the client polls for the result.
///
/// - SeeAlso: [OpenID Connect CIBA Core 1.0, section 7.1](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html#auth_request)
public struct BackchannelAuthenticationRequest: EndpointRequest {
    /// The user to authenticate, identified by exactly one hint.
    public enum Hint: Sendable, Hashable {
        /// An email address, phone number or subject (`login_hint`).
        case loginHint(String)
        /// A token that identifies the user (`login_hint_token`).
        case loginHintToken(Secret)
        /// An ID token from an earlier sign-in (`id_token_hint`).
        case idTokenHint(Secret)
    }

    /// The requested scopes (`scope`), which must contain `openid`.
    public var scopes: [Scope]
    /// The user to authenticate.
    public var hint: Hint
    /// A short message that both devices show, so that the user can match them (`binding_message`).
    public var bindingMessage: String?
    /// A code that only the user knows, if the provider requires it (`user_code`).
    public var userCode: Secret?
    /// The requested lifetime, in seconds (`requested_expiry`).
    public var requestedExpiry: Int?
    /// The requested authentication context classes (`acr_values`), in order of preference.
    public var acrValues: [String]
    /// Additional parameters, which cannot replace parameters that this type sets.
    public var additionalParameters: [String: String]
    /// The kind of request for observers, ``OAuthExchange/backchannelAuthentication``.
    public var exchange: OAuthExchange { .backchannelAuthentication }

    /// Creates a request.
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

    /// The parameters that callers cannot set, including those for the unsupported ping and push modes.
    private static let reservedNames: Set<String> = [
        "login_hint", "login_hint_token", "id_token_hint", "binding_message", "user_code", "requested_expiry",
        "acr_values", "client_notification_token", "request",
    ]

    private var parameters: FormParameters {
        get throws {
            guard self.scopes.contains(.openID) else {
                throw InvalidRequestError("scope", reason: "a backchannel authentication requires the 'openid' scope")
            }
            if let requestedExpiry, requestedExpiry < 1 {
                throw InvalidRequestError("requested_expiry", reason: "the value must be positive")
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

    /// Returns the message to send, including the client's authentication.
    ///
    /// - Throws: ``InvalidRequestError`` if the request is not valid, or `ProtocolViolationError` with
    ///   `missingMetadata` if there is no backchannel authentication endpoint or the provider does not support polling.
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

    /// Decodes the response.
    ///
    /// - Throws: ``OAuthError`` or ``HTTPStatusError`` if the request failed, or `ProtocolViolationError` with
    ///   `backchannelAuthentication` if a member is missing or the interval is not acceptable.
    public func decode(
        _ response: HTTPResponse,
        body: [UInt8],
        for client: RegisteredClient
    ) throws -> BackchannelAuthentication {
        try ErrorResponseParser.check(
            response,
            body: body,
            endpoint: "backchannel authentication endpoint",
            sent: self.parameters
        )
        let fields = try JSONFields(
            parsing: body,
            rule: .backchannelAuthentication,
            subject: "the backchannel authentication response"
        )
        return try BackchannelAuthentication(fields, uptime: client.runtime.uptime())
    }
}

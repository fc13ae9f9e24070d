// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE

/// A resource server's request for a token's state and properties.
///
/// - SeeAlso: [RFC 7662, section 2](https://www.rfc-editor.org/rfc/rfc7662.html#section-2)
public struct IntrospectionRequest: EndpointRequest {
    let endpoint: Endpoint
    let parameters: FormParameters
    /// The exchange kind for observers, ``OAuthExchange/introspection``.
    public var exchange: OAuthExchange { .introspection }

    /// Creates a request about a token, where `hint` is `access_token`, `refresh_token` or nil.
    public init(_ token: Secret, hint: String? = nil, at endpoint: Endpoint) {
        var form = FormParameters()
        form.append("token", token.withUnredacted { $0 })
        form.append("token_type_hint", hint)
        self.parameters = form
        self.endpoint = endpoint
    }

    /// Returns the message to send, including the resource server's authentication.
    ///
    /// - Throws: ``InvalidRequestError`` if a secret that is required for authentication is missing.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        try client.post(
            self.parameters,
            to: self.endpoint,
            methods: client.metadata.introspectionEndpointAuthMethodsSupported
        )
    }

    /// Decodes the response.
    ///
    /// If the token is not active, only ``Introspection/isActive`` is meaningful.
    ///
    /// - Throws: ``OAuthError`` or ``HTTPStatusError`` if the request failed, or `ProtocolViolationError` with
    ///   `introspectionFormat` if the response is not valid or is signed.
    public func decode(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> Introspection {
        guard response.status.code == 200 else { throw self.error(response, body: body) }
        let fields = try JSONFields(parsing: body, rule: .introspectionFormat, subject: "the introspection response")
        return try Introspection(fields)
    }

    func error(_ response: HTTPResponse, body: [UInt8]) -> any Error {
        ErrorResponseParser.error(response, body: body, endpoint: "introspection endpoint", sent: self.parameters)
    }
}

/// A request for a token's state and properties in a response that the authorization server signs.
///
/// - SeeAlso: [RFC 9701, section 4](https://www.rfc-editor.org/rfc/rfc9701.html#section-4)
public struct SignedIntrospectionRequest: EndpointRequest {
    let plain: IntrospectionRequest
    /// The exchange kind for observers, ``OAuthExchange/introspection``.
    public var exchange: OAuthExchange { .introspection }

    static let mediaType = "application/token-introspection+jwt"

    /// Creates a request about a token, where `hint` is `access_token`, `refresh_token` or nil.
    public init(_ token: Secret, hint: String? = nil, at endpoint: Endpoint) {
        self.plain = IntrospectionRequest(token, hint: hint, at: endpoint)
    }

    /// Returns the message to send, including the resource server's authentication.
    ///
    /// - Throws: ``InvalidRequestError`` if a secret that is required for authentication is missing.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        let message = try self.plain.message(for: client)
        var request = message.request
        request.headerFields[.accept] = Self.mediaType
        return OAuthMessage(request: request, body: message.body)
    }

    /// Returns the signed response without verifying it.
    ///
    /// To verify it, pass it to ``KeySetCache/validate(_:policy:)`` with an ``IntrospectionPolicy``.
    ///
    /// - Throws: ``OAuthError`` or ``HTTPStatusError`` if the request failed, or `ProtocolViolationError` with
    ///   `introspectionFormat` if the response is not signed and therefore cannot serve as evidence.
    public func decode(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> Secret {
        guard response.status.code == 200 else { throw self.plain.error(response, body: body) }
        guard response.contentType == Self.mediaType else {
            throw ProtocolViolationError(
                .introspectionFormat,
                expected: "content type \(Self.mediaType)",
                actual: response.headerFields[.contentType] ?? "none",
                section: "RFC 9701, section 5"
            )
        }
        return Secret(String(decoding: body, as: UTF8.self))
    }
}

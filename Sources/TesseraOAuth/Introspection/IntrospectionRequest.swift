// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE

/// Asks the authorization server what a token is: for resource servers.
///
/// - SeeAlso: [RFC 7662, section 2](https://www.rfc-editor.org/rfc/rfc7662.html#section-2)
public struct IntrospectionRequest: EndpointRequest {
    let endpoint: Endpoint
    let parameters: FormParameters
    /// An introspection.
    public var exchange: OAuthExchange { .introspection }

    /// A request about a token; `hint` is `access_token`, `refresh_token` or nothing.
    public init(_ token: Secret, hint: String? = nil, at endpoint: Endpoint) {
        var form = FormParameters()
        form.append("token", token.withUnredacted { $0 })
        form.append("token_type_hint", hint)
        self.parameters = form
        self.endpoint = endpoint
    }

    /// The request, ready to be sent, with the proof of the resource server.
    ///
    /// - Throws: ``InvalidRequestError`` when the proof needs a secret that is not there.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        try client.post(
            self.parameters,
            to: self.endpoint,
            methods: client.metadata.introspectionEndpointAuthMethodsSupported
        )
    }

    /// Turns the answer into what is known about the token; of one that is not active nothing is.
    ///
    /// - Throws: ``OAuthError``, ``HTTPStatusError``; `introspectionFormat` for an answer that breaks the protocol, also
    ///   for a signed one, which was not asked for.
    public func answer(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> Introspection {
        guard response.status.code == 200 else { throw self.error(response, body: body) }
        let fields = try JSONFields(parsing: body, rule: .introspectionFormat, subject: "the introspection")
        return try Introspection(fields)
    }

    func error(_ response: HTTPResponse, body: [UInt8]) -> any Error {
        OAuthErrorResponse.error(response, body: body, endpoint: "introspection endpoint", sent: self.parameters)
    }
}

/// Asks the authorization server what a token is, in an answer that the server signs.
///
/// - SeeAlso: [RFC 9701, section 4](https://www.rfc-editor.org/rfc/rfc9701.html#section-4)
public struct SignedIntrospectionRequest: EndpointRequest {
    let plain: IntrospectionRequest
    /// An introspection.
    public var exchange: OAuthExchange { .introspection }

    static let mediaType = "application/token-introspection+jwt"

    /// A request about a token; `hint` is `access_token`, `refresh_token` or nothing.
    public init(_ token: Secret, hint: String? = nil, at endpoint: Endpoint) {
        self.plain = IntrospectionRequest(token, hint: hint, at: endpoint)
    }

    /// The request, ready to be sent, with the proof of the resource server.
    ///
    /// - Throws: ``InvalidRequestError`` when the proof needs a secret that is not there.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        let message = try self.plain.message(for: client)
        var request = message.request
        request.headerFields[.accept] = Self.mediaType
        return OAuthMessage(request: request, body: message.body)
    }

    /// Gives the signed answer, which is yet to be verified: ``KeySetCache/validate(_:policy:)`` with an
    /// ``IntrospectionPolicy`` turns it into what is known about the token.
    ///
    /// - Throws: ``OAuthError``, ``HTTPStatusError``; `introspectionFormat` for an answer that is not signed: it proves
    ///   nothing to anybody else.
    public func answer(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> Secret {
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// A request to one of an authorization server's endpoints.
///
/// A request creates a message and decodes the response without accessing the network.
/// ``RegisteredClient/send(_:deadline:)`` performs the exchange. To use an endpoint that this module does not support,
/// define your own conforming type.
///
/// - SeeAlso: [RFC 6749, section 3](https://www.rfc-editor.org/rfc/rfc6749.html#section-3)
public protocol EndpointRequest<Response>: Sendable {
    /// The decoded value of a successful response.
    associatedtype Response: Sendable

    /// Returns the message to send.
    ///
    /// This method is called for each attempt, because some proofs can be used only once.
    ///
    /// - Throws: ``InvalidRequestError`` if the request cannot be sent.
    func message(for client: RegisteredClient) throws -> OAuthMessage

    /// The DPoP proof that the request carries if the client has a DPoP key. Defaults to ``DPoPUse/none``.
    var dpopUse: DPoPUse { get }

    /// The kind of request, for observers. Defaults to ``OAuthExchange/other``.
    var exchange: OAuthExchange { get }

    /// Decodes the endpoint's response.
    ///
    /// - Throws: ``OAuthError`` if the server returned an error, ``HTTPStatusError`` for an unexpected status without a
    ///   readable error, or `ProtocolViolationError` if a successful response is not valid.
    func decode(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> Response
}

extension EndpointRequest {
    /// The default implementation, which returns ``DPoPUse/none``.
    public var dpopUse: DPoPUse { .none }
    /// The default implementation, which returns ``OAuthExchange/other``.
    public var exchange: OAuthExchange { .other }
}

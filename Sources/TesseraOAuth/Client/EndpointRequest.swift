// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// One exchange with an endpoint of an authorization server: makes the request, and judges the answer.
///
/// Both halves are pure; ``RegisteredClient/send(_:deadline:)`` stands between them. Whoever needs an endpoint that this
/// module does not know writes a type of their own.
///
/// - SeeAlso: [RFC 6749, section 3](https://www.rfc-editor.org/rfc/rfc6749.html#section-3)
public protocol EndpointRequest<Answer>: Sendable {
    /// What a good answer holds.
    associatedtype Answer: Sendable

    /// The request, ready to be sent; made anew for each try, since some proofs may be used once.
    ///
    /// - Throws: ``InvalidRequestError`` for what cannot be sent.
    func message(for client: RegisteredClient) throws -> OAuthMessage

    /// What the request proves by the client's DPoP key, where it has one; nothing unless said otherwise.
    var dpopUse: DPoPUse { get }

    /// What the request is called by whoever watches exchanges; ``OAuthExchange/other`` unless said otherwise.
    var exchange: OAuthExchange { get }

    /// Turns the endpoint's answer into a value.
    ///
    /// - Throws: ``OAuthError`` where the server said no, ``HTTPStatusError`` for another status without a readable
    ///   error, `ProtocolViolationError` for a success that is none.
    func answer(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> Answer
}

extension EndpointRequest {
    /// No proof.
    public var dpopUse: DPoPUse { .none }
    /// A request that does not name itself.
    public var exchange: OAuthExchange { .other }
}

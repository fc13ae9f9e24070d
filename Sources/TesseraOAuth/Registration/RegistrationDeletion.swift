// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// Takes a registration away; the client, its grants and its tokens end with it.
///
/// - SeeAlso: [RFC 7592, section 2.3](https://www.rfc-editor.org/rfc/rfc7592.html#section-2.3)
public struct RegistrationDeletion: EndpointRequest {
    let endpoint: Endpoint
    let accessToken: Secret
    let clientSecret: Secret?
    /// A registration ends.
    public var exchange: OAuthExchange { .registration }

    /// The deletion of a registration.
    ///
    /// - Throws: ``InvalidRequestError`` for one that the server does not let be managed.
    public init(_ registration: ClientRegistration) throws(InvalidRequestError) {
        (self.endpoint, self.accessToken) = try registration.management()
        self.clientSecret = registration.clientSecret
    }

    /// The request, ready to be sent; nothing of `client` is in it.
    public func message(for client: RegisteredClient) -> OAuthMessage {
        .json(nil, method: .delete, to: self.endpoint, accessToken: self.accessToken)
    }

    /// Checks the answer: 204 is a success, and 200, which some servers say.
    ///
    /// - Throws: ``OAuthError``, ``BearerChallengeError`` where the token was refused, ``HTTPStatusError``.
    public func answer(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws {
        guard [200, 204].contains(response.status.code) else {
            throw RegistrationRequest.error(response, body: body, secrets: [self.accessToken, self.clientSecret])
        }
    }
}

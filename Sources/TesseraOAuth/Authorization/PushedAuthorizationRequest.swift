// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE

/// A request that sends authorization parameters directly to the provider before the browser opens.
///
/// - SeeAlso: [RFC 9126, section 2](https://www.rfc-editor.org/rfc/rfc9126.html#section-2)
struct PushedAuthorizationRequest: EndpointRequest {
    /// A reference to the parameters that the provider has stored.
    struct Response: Sendable {
        let requestURI: String
        /// The lifetime of the reference, in seconds (`expires_in`).
        let expiresIn: Int64
    }

    let endpoint: Endpoint
    let parameters: FormParameters
    /// The code is bound to the key (RFC 9449, section 10.1).
    var dpopUse: DPoPUse { .possession }
    var exchange: OAuthExchange { .pushedAuthorizationRequest }

    /// Returns the message, authenticating the client as at the token endpoint (RFC 9126, section 2).
    func message(for client: RegisteredClient) throws -> OAuthMessage {
        try client.post(self.parameters, to: self.endpoint)
    }

    /// Decodes a response, treating only status 201 as success (RFC 9126, section 2.2).
    func decode(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> Response {
        try ErrorResponseParser.check(
            response,
            is: 201,
            body: body,
            endpoint: "pushed authorization request endpoint",
            sent: self.parameters
        )
        let fields = try JSONFields(
            parsing: body,
            rule: .pushedRequestFormat,
            subject: "the pushed authorization response"
        )
        let requestURI = try fields.requiredString("request_uri")
        guard URIParts(requestURI) != nil else { throw fields.violation("request_uri to be a URI", "other text") }
        guard let expiresIn = try fields.integer("expires_in") else {
            throw fields.violation("expires_in in the response", "none")
        }
        guard (1...3_155_760_000).contains(expiresIn) else {
            throw fields.violation("expires_in to be a positive number of seconds", "\(expiresIn)")
        }
        return Response(requestURI: requestURI, expiresIn: expiresIn)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE

/// Sends the parameters of an authorization request to the provider itself, before the browser opens.
///
/// - SeeAlso: [RFC 9126, section 2](https://www.rfc-editor.org/rfc/rfc9126.html#section-2)
struct PushedAuthorizationRequest: EndpointRequest {
    /// Where the provider keeps the parameters.
    struct Answer: Sendable {
        let requestURI: String
        /// In seconds.
        let expiresIn: Int64
    }

    let endpoint: Endpoint
    let parameters: FormParameters
    /// RFC 9449, section 10.1.
    var dpopUse: DPoPUse { .possession }
    /// A pushed request.
    var exchange: OAuthExchange { .pushedAuthorizationRequest }

    /// RFC 9126, section 2: the client proves itself as it does at the token endpoint.
    func message(for client: RegisteredClient) throws -> OAuthMessage {
        try client.post(self.parameters, to: self.endpoint)
    }

    /// 201 alone is a success: section 2.2.
    func answer(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> Answer {
        try OAuthErrorResponse.check(
            response,
            is: 201,
            body: body,
            endpoint: "pushed authorization request endpoint",
            sent: self.parameters
        )
        let fields = try JSONFields(
            parsing: body,
            rule: .pushedRequestFormat,
            subject: "the answer to the pushed request"
        )
        let requestURI = try fields.requiredString("request_uri")
        guard URIParts(requestURI) != nil else { throw fields.violation("request_uri to be a URI", "another text") }
        guard let expiresIn = try fields.integer("expires_in") else {
            throw fields.violation("expires_in in the answer", "none")
        }
        guard (1...3_155_760_000).contains(expiresIn) else {
            throw fields.violation("expires_in to be a positive number of seconds", "\(expiresIn)")
        }
        return Answer(requestURI: requestURI, expiresIn: expiresIn)
    }
}

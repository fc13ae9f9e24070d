// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth

/// An `OIDTokenRequest` as the protocol core sends it, with the program's own header fields.
struct TokenExchange: EndpointRequest {
    private let request: TokenRequest
    private let fields: [String: String]

    init(_ request: OIDTokenRequest) {
        self.request = TokenRequest(form: request.form)
        self.fields = request.additionalHeaders ?? [:]
    }

    var exchange: OAuthExchange { self.request.exchange }

    func message(for client: RegisteredClient) throws -> OAuthMessage {
        var message = try self.request.message(for: client)
        // By name: which of two spellings of one name is sent has not to be chance.
        for (name, value) in self.fields.sorted(by: { $0.key < $1.key }) {
            guard let name = HTTPField.Name(name) else {
                throw InvalidRequestError(name, reason: "this is no header field")
            }
            try message.add(name, value)
        }
        return message
    }

    func answer(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> TokenResponse {
        try self.request.answer(response, body: body, for: client)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

/// An error answer of the token or revocation endpoint (RFC 6749, section 5.2).
struct TokenFailure: Error {
    var code: String
    var explanation: String
    var status: HTTPResponse.Status = .badRequest
    var challenge: String?

    var response: EndpointResponse {
        var response = EndpointResponse.json(
            ["error": .string(self.code), "error_description": .string(self.explanation)],
            status: self.status
        )
        response.headers[.wwwAuthenticate] = self.challenge
        return response
    }
}
#endif

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
    /// `error_subtype`, as Google's have it.
    var subtype: String?
    var uri: String?

    var response: EndpointResponse {
        let members: [(String, String?)] = [
            ("error", self.code), ("error_description", self.explanation), ("error_subtype", self.subtype),
            ("error_uri", self.uri),
        ]
        var response = EndpointResponse.json(
            .object(members.compactMap { name, text in text.map { JSONMember(name: name, value: .string($0)) } }),
            status: self.status
        )
        response.headers[.wwwAuthenticate] = self.challenge
        return response
    }
}
#endif

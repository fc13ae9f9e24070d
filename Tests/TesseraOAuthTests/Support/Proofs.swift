// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// A proof that a server has decoded and verified with the key in its header.
struct ReadProof {
    let header: JSONValue
    let claims: JSONValue
    let key: JWK

    init(_ text: String) throws {
        let token = try CompactJWS(parsing: text)
        self.header = token.header.fields
        self.key = try JWK(parsing: try #require(token.header.fields["jwk"]))
        try token.verify(with: self.key)
        self.claims = try token.claims()
    }

    init(_ request: HTTPRequest) throws {
        let name = try #require(HTTPField.Name("DPoP"))
        let values = request.headerFields[values: name]
        try #require(values.count == 1)
        try self.init(values[0])
    }

    func claim(_ name: String) -> String? { self.claims[name]?.string }
}

extension RecordedRequest {
    /// The DPoP proof of the request.
    var proof: ReadProof { get throws { try ReadProof(self.head) } }
}

extension HTTPFields {
    /// Returns header fields with a `DPoP-Nonce` field for each nonce.
    static func nonce(_ nonces: String...) throws -> HTTPFields {
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        return HTTPFields(nonces.map { HTTPField(name: name, value: $0) })
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

extension ScriptedProvider {
    /// The reason that a DPoP proof was rejected, which is the response's `error` code.
    enum ProofError: String, Error {
        case useNonce = "use_dpop_nonce"
        case invalid = "invalid_dpop_proof"
    }

    /// Returns the thumbprint of the key whose possession a request proves, or `nil` if no proof is required.
    ///
    /// No proof is required if the provider does not support DPoP, or if a request has neither an access token nor a
    /// proof. The checks follow RFC 9449, section 4.3.
    func thumbprint(of request: RecordedRequest, accessToken: String? = nil, nonce: String?) throws -> String? {
        guard self.options.supportsDPoP, let name = HTTPField.Name("DPoP") else { return nil }
        let values = request.head.headerFields[values: name]
        if values.isEmpty, accessToken == nil { return nil }
        guard values.count == 1, let proof = try? CompactJWS(parsing: values[0]), proof.header.type == "dpop+jwt",
            proof.header.algorithm == .es256, let member = proof.header.fields["jwk"], member["d"] == nil,
            let key = try? JWK(parsing: member), (try? proof.verify(with: key)) != nil,
            let claims = try? proof.claims(),
            claims["htm"]?.string == request.head.method.rawValue,
            claims["htu"]?.string == request.url.split(separator: "?").first.map(String.init),
            let issuedAt = try? claims["iat"]?.integer(Int64.self),
            abs(Double(issuedAt) - self.clock.date.timeIntervalSince1970) < 60, let id = claims["jti"]?.string,
            claims["ath"]?.string == (try? Self.hash(of: accessToken, request)),
            self.state.withLock({ $0.proofIDs.insert(id).inserted })
        else { throw ProofError.invalid }
        guard nonce == nil || claims["nonce"]?.string == nonce else { throw ProofError.useNonce }
        return key.thumbprint
    }

    private static func hash(of accessToken: String?, _ request: RecordedRequest) throws -> String? {
        try DPoPProof(for: request.head, accessToken: accessToken.map { Secret($0) }).accessTokenHash
    }
}

extension ScriptedResponse {
    /// Returns the response with a nonce added for the next proof.
    func giving(_ nonce: String?) -> ScriptedResponse {
        guard let nonce, let name = HTTPField.Name("DPoP-Nonce") else { return self }
        var response = self
        response.head.headerFields[name] = nonce
        return response
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraTesting

extension RecordedRequest {
    /// The DPoP proof of the request, or nil if there is none.
    var proofText: String? { HTTPField.Name("DPoP").flatMap { self.head.headerFields[$0] } }

    /// The thumbprint of the key that signed the proof, or nil without a valid proof.
    var provenKey: String? {
        guard let text = self.proofText, let token = try? CompactJWS(parsing: text),
            let key = try? token.header.fields["jwk"].map({ try JWK(parsing: $0) }),
            (try? token.verify(with: key)) != nil
        else { return nil }
        return key.thumbprint
    }

    /// Returns a claim of the proof.
    func proofClaim(_ name: String) -> String? {
        self.proofText.flatMap { try? CompactJWS(parsing: $0).claims() }?[name]?.string
    }

    /// The scheme of the `Authorization` field.
    var authorizationScheme: String? {
        self.head.headerFields[.authorization]?.split(separator: " ").first.map(String.init)
    }
}

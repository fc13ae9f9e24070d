// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraTesting

extension RecordedRequest {
    /// The text of the DPoP proof that the request carries, nil for none.
    var proofText: String? { HTTPField.Name("DPoP").flatMap { self.head.headerFields[$0] } }

    /// The key of the proof, by its thumbprint; nil where no proof with a good signature is there.
    var provenKey: String? {
        guard let text = self.proofText, let token = try? CompactJWS(parsing: text),
            let key = try? token.header.fields["jwk"].map({ try JWK(parsing: $0) }),
            (try? token.verify(with: key)) != nil
        else { return nil }
        return key.thumbprint
    }

    /// A claim of the proof.
    func proofClaim(_ name: String) -> String? {
        self.proofText.flatMap { try? CompactJWS(parsing: $0).claims() }?[name]?.string
    }

    /// The scheme of the `Authorization` field.
    var authorizationScheme: String? {
        self.head.headerFields[.authorization]?.split(separator: " ").first.map(String.init)
    }
}

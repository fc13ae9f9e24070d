// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("RFC 7636, appendix B")
struct RFC7636Tests {
    private static let octets: [UInt8] = [
        116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
        240, 91, 88, 5, 88, 83, 132, 141, 121,
    ]

    @Test("Computes the S256 code challenge of RFC 7636, appendix B", .covers(16))
    func codeChallenge() {
        let verifier = CodeVerifier { _ in Self.octets }
        #expect(verifier.secret == Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(verifier.codeChallenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Oracles
internal import TesseraJOSE
internal import TesseraJSON

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(Array(fuzzing: start, count))
    return 0
}

/// Checks parsing, verification and signing of tokens.
///
/// The parts of a token must match Foundation's decoding. A token must verify only if it was signed with a known key. A
/// signed payload must verify, and must not verify after a character has changed.
private func check(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = text.components(separatedBy: ".")
    for part in parts.prefix(5) {
        let (ours, theirs) = (Base64URL.decode(part), decoded(part))
        expect(ours == theirs, "both decoders return the same bytes")
        expect(ours.map { Base64URL.encode($0) == part } ?? true, "each byte sequence has one encoding")
    }
    // Check signing for one input in 64, because it takes longer than all other checks.
    if bytes.reduce(0, &+) & 63 == 0 { checkSigning(bytes) }
    guard let token = try? CompactJWS(parsing: text) else { return }
    expect(
        parts == [Base64URL.encode(token.header.fields.bytes), parts[1], Base64URL.encode(token.signature)]
            || token.header.fields.bytes.count < decoded(parts[0])?.count ?? 0,
        "a token consists of its parts"
    )
    expect(parts.count == 3 && decoded(parts[1]) == token.payload, "the payload is the second part")
    expect(token.signingInput == Array((parts[0] + "." + parts[1]).utf8), "the first two parts are signed")
    let claims = try? token.claims()
    expect((claims == nil) == (PlainJSON(token.payload, depth: 128)?.isObject != true), "claims are a JSON object")
    for key in Known.keys.candidates(for: token.header) where (try? token.verify(with: key)) != nil {
        expect(Known.signed.contains(token.signingInput), "a token verifies only if the owner of the key signed it")
    }
}

private func checkSigning(_ payload: [UInt8]) {
    guard let key = Known.signingKey, let publicKey = Known.signingKeyJWK,
        let text = try? key.sign(payload: payload, type: "JWT"), let token = try? CompactJWS(parsing: text)
    else { return expect(payload.count > 40_000, "a payload can be signed") }
    expect(token.payload == payload, "the payload is unchanged")
    expect((try? token.verify(with: publicKey)) != nil, "a signed token verifies")
    var altered = Array(text.utf8)
    let location = payload.count * 7 % altered.count
    altered[location] = altered[location] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    let other = try? CompactJWS(parsing: String(decoding: altered, as: UTF8.self))
    expect((try? other?.verify(with: publicKey)) == nil, "an altered token does not verify")
}

/// Decodes base64url with Foundation, and returns nil for text that is not in canonical form.
private func decoded(_ text: String) -> [UInt8]? {
    guard !text.utf8.contains(where: "+/=".utf8.contains) else { return nil }
    let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: padded), data.base64EncodedString() == padded else { return nil }
    return Array(data)
}

/// The keys of RFC 7515 (appendices A.2 and A.3) and RFC 8037 (appendix A), and the texts that the RFCs sign with them.
private enum Known {
    static let keys = JWKSet(
        keys: [
            #"""
            {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPM\#
            EzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5\#
            rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-D\#
            WNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}
            """#,
            #"""
            {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue6\#
            59LNpXW6pCyStikYjKIWI5a0"}
            """#,
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
        ]
        .compactMap { (try? JSONValue(parsing: $0)).flatMap { try? JWK(parsing: $0) } }
    )

    static let signed: Set<[UInt8]> = [
        signingInput(#"{"alg":"RS256"}"#, joe), signingInput(#"{"alg":"ES256"}"#, joe),
        signingInput(#"{"alg":"EdDSA"}"#, "Example of Ed25519 signing"),
    ]

    static let signingKey = try? JWSSigningKey(
        pem: """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
            -----END PRIVATE KEY-----
            """
    )
    static let signingKeyJWK = signingKey.flatMap { try? JWK(parsing: JSONValue(parsing: $0.publicJWK.serialized())) }

    private static let joe = """
        {"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}
        """

    private static func signingInput(_ header: String, _ payload: String) -> [UInt8] {
        Array((Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)).utf8)
    }
}

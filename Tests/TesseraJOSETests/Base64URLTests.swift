// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestTraits
internal import Testing
internal import TesseraJOSE

@Suite("Base64url")
struct Base64URLTests {
    static let pairs: [(String, [UInt8])] = [
        ("", []), ("Zg", Array("f".utf8)), ("Zm8", Array("fo".utf8)), ("Zm9v", Array("foo".utf8)),
        ("Zm9vYg", Array("foob".utf8)),
        ("Zm9vYmE", Array("fooba".utf8)), ("Zm9vYmFy", Array("foobar".utf8)), ("A-z_4ME", [3, 236, 255, 224, 193]),
        ("-_8", [251, 255]),
    ]

    @Test("Encodes and decodes known values", arguments: Self.pairs)
    func pair(_ text: String, _ bytes: [UInt8]) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    static let refused = [
        "A", "AAAAA", "Zg==", "Zm8=", "Zg=", "=", "Z+8", "Z/8", "Zh", "Zm9", "Zm9vYh", "Zm 8", "Zm8\n", " Zm8", "Zé",
        "Zm8.", "Zm\u{0}8",
    ]

    @Test("Rejects text that is not canonical base64url", .covers(81), arguments: Self.refused)
    func notCanonical(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("Round-trips values of every length up to 69 bytes")
    func lengths() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ count) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test("Rejects a byte outside the alphabet at every position", .covers(81))
    func everyPlace() {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        for byte in UInt8.min...0x7F {
            for location in 0..<8 {
                var text = Array("AAAAAAAA".utf8)
                text[location] = byte
                let isAlphabet = alphabet.utf8.contains(byte)
                #expect((Base64URL.decode(String(decoding: text, as: UTF8.self)) != nil) == isAlphabet)
            }
        }
        #expect(Base64URL.encode(Base64URL.decode(alphabet) ?? []) == alphabet)
    }

    @Test("Rejects unused bits that are not zero", .covers(81))
    func unusedBits() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for (value, character) in alphabet.enumerated() {
            #expect((Base64URL.decode("A\(character)") != nil) == (value % 16 == 0))
            #expect((Base64URL.decode("AAAAA\(character)") != nil) == (value % 16 == 0))
            #expect((Base64URL.decode("AA\(character)") != nil) == (value % 4 == 0))
        }
    }
}

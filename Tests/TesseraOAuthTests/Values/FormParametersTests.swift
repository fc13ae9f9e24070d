// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Form encoding")
struct FormParametersTests {
    private static func text(_ encoded: String) -> String {
        do {
            return try FormParameters(decoding: encoded).parameters.map { "\($0.name)=\($0.value)" }
                .joined(separator: ";")
        } catch {
            return error.rawValue
        }
    }

    @Test(
        "Decodes parameters strictly",
        .covers(38, 43),
        arguments: [
            ("", ""), ("&&", ""), ("a=1", "a=1"), ("a=1&b=2", "a=1;b=2"), ("a", "a="), ("a=", "a="), ("=1", "=1"),
            ("=", "="),
            ("a=b=c", "a=b=c"), ("a=%2B+%26%3d", "a=+ &="), ("%61=1", "a=1"), ("a=%C3%A9", "a=\u{E9}"),
            ("a=%F0%9F%98%80", "a=\u{1F600}"),
            ("&a=1&&b=2&", "a=1;b=2"), ("a=1&a=2", "a=1;a=2"), ("a=%0D%0A", "a=\r\n"), ("a=\u{E9}", "a=\u{E9}"),
            ("a=1&\u{301}=2", "a=1;\u{301}=2"), ("a=\u{301}b", "a=\u{301}b"),
            ("a=%", "a broken percent escape"), ("a=%4", "a broken percent escape"),
            ("a=%zz", "a broken percent escape"),
            ("a=%+1", "a broken percent escape"), ("a=%4\u{E9}", "a broken percent escape"),
            ("%=1", "a broken percent escape"),
            ("a=%00", "a NUL character"), ("%00=1", "a NUL character"), ("a=%C3%28", "text that is not UTF-8"),
            ("a=%FF", "text that is not UTF-8"), ("a=%ED%A0%80", "text that is not UTF-8"),
            ("a=%C0%AF", "text that is not UTF-8"),
            ("a=%F4%90%80%80", "text that is not UTF-8"), ("a=%C3&b=%A9", "text that is not UTF-8"),
        ]
    )
    func decoding(encoded: String, expected: String) {
        #expect(Self.text(encoded) == expected)
    }

    @Test("Percent-encodes all but unreserved characters, and encodes a space as a plus sign", .covers(20, 62))
    func encoding() {
        let ascii = String(decoding: (0x00...0x7F).map { UInt8($0) }, as: UTF8.self)
        let encoded = FormParameters.encode(ascii)
        let bare = encoded.replacing(#/%[0-9A-F]{2}/#, with: "")
        #expect(bare == "+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~")
        #expect(FormParameters.encode("\u{E9}%:") == "%C3%A9%25%3A")
    }

    @Test("Random parameters round-trip through this decoder and an independent one", .covers(20))
    func roundTrip() throws {
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed)
        for _ in 0..<200 {
            var form = FormParameters()
            for _ in 0..<3 {
                let texts = (0..<2)
                    .map { _ in
                        String(decoding: random.next(Int(random.next(1)[0] % 12)), as: UTF8.self)
                            .replacing("\0", with: "+")
                    }
                form.append("n" + texts[0], texts[1])
            }
            #expect(try FormParameters(decoding: form.encoded) == form, "seed \(seed)")
            let others = FormParameter.parse(form.encoded).map { Array(($0.name + "=" + $0.value).utf8) }
            #expect(others == form.parameters.map { Array(($0.name + "=" + $0.value).utf8) }, "seed \(seed)")
        }
    }

    @Test("Decodes 10,000 random queries without a trap", .covers(125))
    func fuzz() {
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed)
        let alphabet = Array("%%%%&&==++0123456789abcdefAF\u{0}\u{7F}\r ".utf8) + [0xC3, 0xA9, 0xFF]
        for _ in 0..<10_000 {
            let bytes = random.next(20).map { alphabet[Int($0) % alphabet.count] }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let form = try? FormParameters(decoding: text) else { continue }
            if form.parameters.contains(where: { ($0.name + $0.value).utf8.contains(0) }) {
                Issue.record("seed \(seed)")
            }
        }
    }

    @Test("Finds the first repeated name and omits a nil value")
    func names() throws {
        #expect(try FormParameters(decoding: "a=1&b=2&%61=3&b=4").repeatedName == "a")
        #expect(try FormParameters(decoding: "a=1&A=2").repeatedName == nil)
        var form = FormParameters()
        form.append("a", nil)
        #expect(form.encoded == "")
        #expect(form["a"] == nil)
        #expect(form.values("a") == [])
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("Byte search in spans")
struct SpanSearchingTests {
    @Test("Finds a byte at the same index as a bytewise search from any start")
    func anywhere() {
        let seed = TestSeed.printed()
        var generator = SeededGenerator(seed: seed)
        for length in 0..<40 {
            for _ in 0..<20 {
                // The byte, its neighbors, and bytes that an arithmetic borrow could mistake for it.
                let alphabet: [UInt8] = [0x20, 0x1F, 0x21, 0xA0, 0x00, 0xFF]
                let bytes = (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
                for start in 0...length {
                    #expect(
                        bytes.withSpan { $0.firstIndex(of: 0x20, from: start) } == bytes[start...].firstIndex(of: 0x20),
                        "\(bytes) from \(start), seed \(seed)"
                    )
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("Looking for a byte eight at a time")
struct SpanSearchingTests {
    @Test("It is found where a walk from byte to byte finds it, from any start, among bytes that are nearly the same")
    func anywhere() {
        let seed = TestSeed.printed()
        var generator = SeededGenerator(seed: seed)
        for length in 0..<40 {
            for _ in 0..<20 {
                // Neighbours of the byte, and those that a borrow could take for it.
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

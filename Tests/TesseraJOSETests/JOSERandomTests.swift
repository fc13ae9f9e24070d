// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

@Suite("JOSE fuzzing")
struct JOSERandomTests {
    private static func damaged(_ text: String, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let location = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[location] = UInt8.random(in: .min ... .max, using: &random)
            case 1: bytes.remove(at: location)
            case 2: bytes.insert(Array(".=AZ-_{}\"0".utf8).randomElement(using: &random) ?? 0, at: location)
            default: bytes.removeSubrange(location...)
            }
        }
        return bytes
    }

    @Test("Verifies no damaged token and never traps", .covers(85, 125))
    func tokens() throws {
        let seed = TestSeed.printed()
        var random = SeededGenerator(seed: seed)
        let vectors = try [SignatureVector.rfc7515A3, .ps256, .rfc8037A4].map { ($0.token, try $0.jwk()) }
        for round in 0..<6_000 {
            let (token, key) = vectors[round % vectors.count]
            let damaged = String(decoding: Self.damaged(token, &random), as: UTF8.self)
            guard damaged != token, let jws = try? CompactJWS(parsing: damaged) else { continue }
            #expect(throws: ProtocolViolationError.self, "seed \(seed): \(damaged)") { try jws.verify(with: key) }
        }
    }

    @Test("Parses or rejects a damaged key set without a trap", .covers(97, 125))
    func keySets() {
        let seed = TestSeed.printed()
        var random = SeededGenerator(seed: seed)
        let keys = SignatureVector.all.map(\.key).joined(separator: ",")
        for _ in 0..<2_000 {
            guard let set = try? JWKSet(parsing: Self.damaged("{\"keys\":[\(keys)]}", &random)) else { continue }
            #expect(set.keys.count + set.ignoredCount <= SignatureVector.all.count + 1, "seed \(seed)")
        }
    }
}

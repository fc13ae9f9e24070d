// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing

@Suite("Seeds of randomized tests")
struct TestSeedTests {
    @Test("A seed is 1 unless the environment sets another one")
    func seed() {
        let other = ProcessInfo.processInfo.environment["TESSERA_TEST_SEED"].flatMap { UInt64($0) }
        #expect(TestSeed.printed() == other ?? 1)
    }

    @Test("A seed produces the SplitMix64 sequence")
    func sequence() {
        var generator = SeededGenerator(seed: 1_234_567)
        let numbers = (0..<3).map { _ in generator.next() }
        #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }
}

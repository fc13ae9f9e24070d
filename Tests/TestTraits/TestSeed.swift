// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Testing)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Testing

/// The seed of randomized tests.
///
/// It is 1 unless the environment variable `TESSERA_TEST_SEED` is set to another decimal number. To reproduce a failure, use
/// the seed that its test printed.
public enum TestSeed {
    /// The environment variable that replaces the seed.
    static let variable = "TESSERA_TEST_SEED"

    /// Returns the seed and prints it with the name of the running test.
    ///
    /// Call it once in a test. Records an issue if the variable is set to anything other than a number.
    public static func printed() -> UInt64 {
        let text = ProcessInfo.processInfo.environment[Self.variable] ?? "1"
        let test = Test.current.map { "\($0.id)" } ?? "a test"
        guard let seed = UInt64(text) else {
            Issue.record("\(Self.variable) is not a number from 0 to \(UInt64.max): \(text)")
            return 1
        }
        print("\(Self.variable)=\(seed) in \(test)")
        return seed
    }
}
#endif

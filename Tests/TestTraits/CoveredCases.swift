// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Testing)
public import Testing

/// The cases of Docs/HostileCases.md that a test or a suite covers.
///
/// `Scripts/hostile` reads the numbers from the source and the results from the log of a test run.
public struct CoveredCases: TestTrait, SuiteTrait {
    /// The numbers of the cases.
    public let numbers: [Int]

    /// Applies the cases of a suite to each of its tests.
    public var isRecursive: Bool { true }
}

extension Trait where Self == CoveredCases {
    /// Marks a test or a suite that covers cases of Docs/HostileCases.md.
    public static func covers(_ numbers: Int...) -> Self { CoveredCases(numbers: numbers) }
}
#endif

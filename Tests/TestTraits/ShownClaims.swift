// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Testing)
public import Testing

/// The claims of THREAT_MODEL.md that a test or a suite demonstrates.
///
/// `Scripts/check-claims` reads the numbers from the source and the results from the log of a test run.
public struct ShownClaims: TestTrait, SuiteTrait {
    /// The numbers of the claims, without their letter.
    public let numbers: [Int]

    /// Applies the claims of a suite to each of its tests.
    public var isRecursive: Bool { true }
}

extension Trait where Self == ShownClaims {
    /// Marks a test or a suite that demonstrates claims of THREAT_MODEL.md.
    public static func shows(claims numbers: Int...) -> Self { ShownClaims(numbers: numbers) }
}
#endif

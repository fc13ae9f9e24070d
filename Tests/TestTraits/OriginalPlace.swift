// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Testing)
public import Testing

/// The test or the documentation of AppAuth, GTMAppAuth, GTMSessionFetcher or GoogleSignIn that describes a behavior.
///
/// `Scripts/generate-names --count` counts the tests for each of these libraries.
public struct OriginalPlace: TestTrait, SuiteTrait {
    /// The library, and the test or the documentation.
    public let place: String

    /// Applies the place of a suite to each of its tests.
    public var isRecursive: Bool { true }
}

extension Trait where Self == OriginalPlace {
    /// Marks a test or a suite for a behavior of an original library, for example
    /// `.original("AppAuth OIDAuthStateTests.testErrors")`.
    public static func original(_ place: String) -> Self { OriginalPlace(place: place) }
}
#endif

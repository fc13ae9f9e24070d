// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

/// The generated files next to this one use each public name of the original libraries once.
///
/// They only have to compile.
@Suite("Names of the original libraries")
nonisolated struct ValueTests {
    @Test(
        "Constants and error codes have the values of the original libraries",
        arguments: valuesOfAppAuth + valuesOfGTMAppAuth + valuesOfGTMSessionFetcher + valuesOfGoogleSignIn
            + valuesOfGoogleSignInSwift
    )
    func value(_ value: OriginalValue) {
        #expect(value.actual == value.expected, "\(value.name)")
    }
}

/// A constant or the raw value of an enumeration's case.
nonisolated struct OriginalValue: Sendable, CustomTestStringConvertible {
    let name: String
    let actual: String
    let expected: String

    init(_ name: String, _ actual: some Sendable, _ expected: String) {
        self.name = name
        self.actual = "\(actual)"
        self.expected = expected
    }

    var testDescription: String { self.name }
}

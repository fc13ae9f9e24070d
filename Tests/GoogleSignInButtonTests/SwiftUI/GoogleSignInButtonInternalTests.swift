// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import GoogleSignInButton
internal import Testing

@Suite("Names of the sign-in button")
struct GoogleSignInButtonInternalTests {
    @Test("The values have Google's names and are their own identities")
    func values() {
        #expect(GoogleSignInButtonStyle.allCases.map(\.id) == ["standard", "wide", "icon"])
        #expect(GoogleSignInButtonColorScheme.allCases.map(\.id) == ["dark", "light"])
        #expect(GoogleSignInButtonState.allCases.map(\.id) == ["normal", "disabled", "pressed"])
    }

    @Test("UIKit's values have Google's numbers and mean the same")
    func numbers() {
        #expect(GIDSignInButtonStyle.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(GIDSignInButtonStyle.allCases.map(\.style) == GoogleSignInButtonStyle.allCases)
        #expect(GIDSignInButtonColorScheme.allCases.map(\.rawValue) == [0, 1])
        #expect(GIDSignInButtonColorScheme.allCases.map(\.scheme) == GoogleSignInButtonColorScheme.allCases)
    }
}

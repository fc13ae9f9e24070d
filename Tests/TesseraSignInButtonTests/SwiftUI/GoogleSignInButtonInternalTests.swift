// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import TesseraSignInButton
internal import TestTraits
internal import Testing

@Suite("Sign-in button options")
struct GoogleSignInButtonInternalTests {
    @Test(
        "Uses Google's names as identifiers of the SwiftUI options",
        .original("GoogleSignIn GoogleSignInButtonStyling.swift GoogleSignInButtonStyle")
    )
    func values() {
        #expect(GoogleSignInButtonStyle.allCases.map(\.id) == ["standard", "wide", "icon"])
        #expect(GoogleSignInButtonColorScheme.allCases.map(\.id) == ["dark", "light"])
        #expect(GoogleSignInButtonState.allCases.map(\.id) == ["normal", "disabled", "pressed"])
    }

    @Test(
        "Uses Google's raw values for the UIKit options",
        .original("GoogleSignIn GIDSignInButton.h GIDSignInButtonStyle")
    )
    func numbers() {
        #expect(GIDSignInButtonStyle.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(GIDSignInButtonStyle.allCases.map(\.style) == GoogleSignInButtonStyle.allCases)
        #expect(GIDSignInButtonColorScheme.allCases.map(\.rawValue) == [0, 1])
        #expect(GIDSignInButtonColorScheme.allCases.map(\.scheme) == GoogleSignInButtonColorScheme.allCases)
    }
}

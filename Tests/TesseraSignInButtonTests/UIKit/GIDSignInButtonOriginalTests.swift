// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(MessageUI) || canImport(TVUIKit)
internal import Foundation
@testable internal import TesseraSignInButton
internal import TestTraits
internal import Testing
internal import UIKit

@Suite("GIDSignInButton as in GoogleSignIn")
@MainActor
struct GIDSignInButtonOriginalTests {
    @Test(
        "Has the standard style and the light scheme",
        .original("GoogleSignIn GIDSignInButtonTest.testDefaultButtonSettings")
    )
    func defaults() {
        let button = GIDSignInButton(frame: .zero)
        #expect(button.style == .standard)
        #expect(button.colorScheme == .light)
        #expect(button.isEnabled)
    }

    @Test("Keeps its style and its scheme in an archive", .original("GoogleSignIn GIDSignInButtonTest.testNSCoding"))
    func archive() throws {
        let button = GIDSignInButton(frame: .zero)
        button.style = .iconOnly
        button.colorScheme = .dark
        let data = try NSKeyedArchiver.archivedData(withRootObject: button, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: GIDSignInButton.self, from: data))
        #expect(copy.style == .iconOnly)
        #expect(copy.colorScheme == .dark)
        #expect(GIDSignInButton.supportsSecureCoding)
    }

    @Test(
        "Is found by the identifier of Google's button and named with Google's name",
        .original("GoogleSignIn GIDSignInButton.m kAccessibilityIdentifier")
    )
    func accessibility() {
        let button = GIDSignInButton(frame: .zero)
        #expect(button.accessibilityIdentifier == "GIDSignInButton")
        #expect(button.accessibilityLabel == ButtonText.current.signInWithGoogle)
    }
}
#endif

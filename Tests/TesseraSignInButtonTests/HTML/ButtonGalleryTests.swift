// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSignInButton
internal import Testing

@Suite("Sign-in button gallery")
struct ButtonGalleryTests {
    static let location = ProcessInfo.processInfo.environment["TESSERA_BUTTON_GALLERY"]

    @Test("Shows every button under a strict content security policy")
    func page() throws {
        let page = try ButtonGallery.html
        #expect(page.contains("default-src 'none'"))
        #expect(page.split(separator: "class=\"google-sign-in ").count > 30)
    }

    @Test("Writes the page to the configured location", .enabled(if: location != nil))
    func file() throws {
        let location = try #require(Self.location)
        try Data(ButtonGallery.html.utf8).write(to: URL(fileURLWithPath: location))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import GoogleSignInButton
internal import Testing

@Suite("Gallery of sign-in buttons")
struct ButtonGalleryTests {
    static let place = ProcessInfo.processInfo.environment["TESSERA_BUTTON_GALLERY"]

    @Test("A page under a strict policy shows every button")
    func page() throws {
        let page = try ButtonGallery.html
        #expect(page.contains("default-src 'none'"))
        #expect(page.split(separator: "class=\"google-sign-in ").count > 30)
    }

    @Test("The page is written where the environment says", .enabled(if: place != nil))
    func file() throws {
        let place = try #require(Self.place)
        try Data(ButtonGallery.html.utf8).write(to: URL(fileURLWithPath: place))
    }
}

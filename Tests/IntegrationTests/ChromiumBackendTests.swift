// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && PostgreSQL
internal import TesseraLocalProvider
internal import Testing

@Suite(
    "The backend of Examples/, with Chromium at the local provider",
    .enabled(if: BrowserRequirement.chromium == nil, "\(BrowserRequirement.chromium ?? "")"),
    .enabled(if: ExamplePrograms.areBuilt, "the examples are not built: make examples")
)
struct ChromiumBackendTests {
    private static let drive = "https://www.googleapis.com/auth/drive.readonly"

    @Test("A person signs in at its pages, sees their files, and signs out")
    func person() async throws {
        let place = try await BackendPlace(server: nil)
        let ada = LocalProviderAccount.samples[0]
        try await place.play(1) { _ in
            try await ChromeDriver.withBrowser(transport: BackendPlace.transport) { browser in
                let pages = LocalProviderPages(browser: browser)
                try await browser.open(place.publicURL + "/callback?code=4/planted&state=guessed")
                #expect(try await browser.text.contains("has not begun a sign-in"))
                try await Screenshots.take("backend-problem", of: browser)
                try await browser.open(place.publicURL)
                try await Screenshots.take("backend-home", of: browser)
                try await browser.click("a[href='/sign-in']")
                try await pages.choose(ada.subject)
                try await pages.allow([Self.drive])
                try await browser.wait(until: "document.querySelector('li') !== null")
                let text = try await browser.text
                #expect(text.contains("Your files"))
                #expect(text.contains(ada.email))
                #expect(try await browser.url == place.publicURL + "/files")
                try await Screenshots.take("backend-files", of: browser)
                // No script of a page's reads a cookie.
                try await browser.wait(until: "document.cookie === ''")
                try await browser.open(place.publicURL)
                try await Screenshots.take("backend-welcome", of: browser)
                try await browser.click("form[action='/sign-out'] button")
                try await browser.wait(until: "document.querySelector(arguments[0]) !== null", ["a[href='/sign-in']"])
            }
        }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && PostgreSQL
internal import TesseraLocalProvider
internal import Testing

@Suite(
    "The backend example with Chromium and the local provider",
    .enabled(if: BrowserRequirement.chromium == nil, "\(BrowserRequirement.chromium ?? "")"),
    .enabled(if: ExamplePrograms.areBuilt, "the examples are not built: make examples")
)
struct ChromiumBackendTests {
    private static let drive = "https://www.googleapis.com/auth/drive.readonly"

    @Test("A user signs in, sees their files, and signs out")
    func browser() async throws {
        let location = try await BackendEnvironment(server: nil)
        let ada = LocalProviderAccount.samples[0]
        try await location.withInstances(1) { _ in
            try await ChromeDriver.withBrowser(transport: BackendEnvironment.transport) { browser in
                let pages = LocalProviderPages(browser: browser)
                try await browser.open(location.publicURL + "/callback?code=4/planted&state=guessed")
                #expect(try await browser.text.contains("has not begun a sign-in"))
                try await Screenshots.take("backend-problem", of: browser)
                try await browser.open(location.publicURL)
                try await Screenshots.take("backend-home", of: browser)
                try await browser.click("a[href='/sign-in']")
                try await pages.choose(ada.subject)
                try await pages.allow([Self.drive])
                try await browser.wait(until: "document.querySelector('li') !== null")
                let text = try await browser.text
                #expect(text.contains("Your files"))
                #expect(text.contains(ada.email))
                #expect(try await browser.url == location.publicURL + "/files")
                try await Screenshots.take("backend-files", of: browser)
                // Scripts on the page cannot read the cookies.
                try await browser.wait(until: "document.cookie === ''")
                try await browser.open(location.publicURL)
                try await Screenshots.take("backend-welcome", of: browser)
                try await browser.click("form[action='/sign-out'] button")
                try await browser.wait(until: "document.querySelector(arguments[0]) !== null", ["a[href='/sign-in']"])
            }
        }
    }
}
#endif

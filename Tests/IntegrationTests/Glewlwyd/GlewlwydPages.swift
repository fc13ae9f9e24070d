// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a person does at Glewlwyd's sign-in page, which is one JavaScript page that changes its contents.
struct GlewlwydPages: Sendable {
    let browser: WebDriverSession
    let instance: GlewlwydInstance

    private static let continues = "button[title='Continue to client application']"
    private static let grants = ".carousel-item.active button.btn-primary"

    /// Types user name and password.
    func signIn() async throws {
        try await self.browser.type(self.instance.user, into: "#username")
        try await self.browser.type(self.instance.password, into: "#password")
        try await self.browser.click("#loginbut")
        try await self.browser.wait(until: "document.querySelector('#loginbut') === null")
    }

    /// Ticks exactly these of the scopes that the page offers, and goes back to the program.
    ///
    /// `openid` is always granted. Glewlwyd has no button that refuses: a person who refuses ticks nothing.
    func grant(_ scopes: Set<String>) async throws {
        try await self.openGrantPage()
        for box in try await self.browser.attributes("id", of: "input[id^='grant-']") {
            try await self.browser.set("#\(box)", ticked: scopes.contains(String(box.dropFirst("grant-".count))))
        }
        if scopes.isEmpty {
            try await self.browser.click(Self.continues)
        } else {
            try await self.browser.click(Self.grants)
            try await self.browser.wait(until: "document.querySelector('input[id^=grant-]') === null")
            try await self.browser.click(Self.continues)
        }
    }

    /// A person who granted something before is asked again only with `prompt=consent`; else the way leads through a
    /// menu.
    private func openGrantPage() async throws {
        try await self.browser.wait(until: "document.querySelector('#selectGrant') !== null")
        if try await self.browser.shows("input[id^='grant-']") { return }
        try await self.browser.click("#selectGrant")
        try await self.browser.click("a[alt='Change grant scope for client']")
        try await self.browser.wait(until: "document.querySelector('input[id^=grant-]') !== null")
    }
}

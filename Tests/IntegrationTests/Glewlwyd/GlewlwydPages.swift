// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The actions of a user on Glewlwyd's sign-in page, which is a single-page JavaScript application.
struct GlewlwydPages: Sendable {
    let browser: WebDriverSession
    let instance: GlewlwydInstance

    private static let continues = "button[title='Continue to client application']"
    private static let grants = ".carousel-item.active button.btn-primary"

    /// Enters the user name and the password, and signs in.
    func signIn() async throws {
        try await self.browser.type(self.instance.user, into: "#username")
        try await self.browser.type(self.instance.password, into: "#password")
        try await self.browser.click("#loginbut")
        try await self.browser.wait(until: "document.querySelector('#loginbut') === null")
    }

    /// Selects exactly these scopes on the page and continues to the program.
    ///
    /// `openid` is always granted. Glewlwyd has no deny button. A user who denies access selects nothing.
    func grant(_ scopes: Set<String>) async throws {
        try await self.openConsentPage()
        for box in try await self.browser.attributes("id", of: "input[id^='grant-']") {
            try await self.browser.set("#\(box)", isSelected: scopes.contains(String(box.dropFirst("grant-".count))))
        }
        if scopes.isEmpty {
            try await self.browser.click(Self.continues)
        } else {
            try await self.browser.click(Self.grants)
            try await self.browser.wait(until: "document.querySelector('input[id^=grant-]') === null")
            try await self.browser.click(Self.continues)
        }
    }

    /// Opens the consent page.
    ///
    /// For a user with an earlier grant, Glewlwyd shows it only with `prompt=consent` or through a menu.
    private func openConsentPage() async throws {
        try await self.browser.wait(until: "document.querySelector('#selectGrant') !== null")
        if try await self.browser.shows("input[id^='grant-']") { return }
        try await self.browser.click("#selectGrant")
        try await self.browser.click("a[alt='Change grant scope for client']")
        try await self.browser.wait(until: "document.querySelector('input[id^=grant-]') !== null")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The actions of a user on the pages of the local provider.
struct LocalProviderPages: Sendable {
    let browser: WebDriverSession

    private static let form = "form[action$='/consent'] input[name='attempt']"

    /// Selects the account if the provider asks for one and waits for the consent page.
    func choose(_ subject: String) async throws {
        let account = "button[name='account'][value='\(subject)']"
        try await self.browser.wait(
            until: "document.querySelector(arguments[0]) !== null || document.querySelector(arguments[1]) !== null",
            [account, Self.form]
        )
        if try await self.browser.shows(account) { try await self.browser.click(account) }
        try await self.browser.wait(until: "document.querySelector(arguments[0]) !== null", [Self.form])
    }

    /// Selects exactly these scopes and allows access.
    func allow(_ scopes: Set<String>) async throws {
        for scope in try await self.browser.attributes("value", of: "input[name='scope']") {
            try await self.browser.set("input[name='scope'][value='\(scope)']", isSelected: scopes.contains(scope))
        }
        try await self.browser.click("button[name='action'][value='allow']")
    }

    /// Denies access.
    func cancel() async throws { try await self.browser.click("button[name='action'][value='cancel']") }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a person does at the local provider's pages.
struct LocalProviderPages: Sendable {
    let browser: WebDriverSession

    private static let form = "form[action$='/consent'] input[name='attempt']"

    /// Chooses the account, where the provider asks for it.
    func choose(_ subject: String) async throws {
        let account = "button[name='account'][value='\(subject)']"
        try await self.browser.wait(
            until: "document.querySelector(arguments[0]) !== null || document.querySelector(arguments[1]) !== null",
            [account, Self.form]
        )
        if try await self.browser.shows(account) { try await self.browser.click(account) }
        try await self.browser.wait(until: "document.querySelector(arguments[0]) !== null", [Self.form])
    }

    /// Ticks exactly these scopes and allows them.
    func allow(_ scopes: Set<String>) async throws {
        for scope in try await self.browser.attributes("value", of: "input[name='scope']") {
            try await self.browser.set("input[name='scope'][value='\(scope)']", ticked: scopes.contains(scope))
        }
        try await self.browser.click("button[name='action'][value='allow']")
    }

    /// Refuses.
    func cancel() async throws { try await self.browser.click("button[name='action'][value='cancel']") }
}

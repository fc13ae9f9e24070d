// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth

/// What a person does at django-oauth-toolkit's pages, which are plain forms.
struct DjangoOAuthToolkitPerson: Sendable {
    let instance: DjangoOAuthToolkitInstance
    let browser: CookieBrowser
    /// Whether the person says no.
    let refuses: Bool

    init(at instance: DjangoOAuthToolkitInstance, refuses: Bool = false) throws {
        self.instance = instance
        self.refuses = refuses
        self.browser = try CookieBrowser(originOf: instance.issuer, transport: ProviderProgram.transport)
    }

    var userAgent: WalkingUserAgent {
        WalkingUserAgent { url in
            url.contains("/logout/?") ? try await self.signOut(url) : try await self.consent(url)
        }
    }

    /// Signs in, grants everything or nothing, and goes on to the program.
    func consent(_ url: String) async throws -> String {
        var page = try await self.open(url)
        if page.redirect == nil {
            let form = try HTMLForm(page)
            page = try await self.browser.submit(self.refuses ? form : form.with("allow", "Authorize"))
        }
        return try Self.redirect(of: page)
    }

    /// Says yes to a program on another device.
    func approve(_ authorization: DeviceAuthorization) async throws {
        guard let url = authorization.verificationURIComplete else {
            throw CookieBrowserError(url: authorization.verificationURI, reason: "no complete address")
        }
        let question = try await self.browser.submit(HTMLForm(try await self.open(url)))
        let page = try await self.browser.submit(HTMLForm(question).with("action", "accept"))
        guard page.text.contains("Device Authorized") else {
            throw CookieBrowserError(url: page.url, reason: "not authorized, status \(page.status)")
        }
    }

    /// Whether the person is known at the provider.
    func isSignedIn() async throws -> Bool {
        try await !Self.asksWhoItIs(self.browser.call(.get, "/o/authorized_tokens/"))
    }

    /// Opens a page; signs in where that comes first.
    private func open(_ url: String) async throws -> CookieBrowser.Page {
        let page = try await self.browser.get(url)
        guard Self.asksWhoItIs(page) else { return page }
        return try await self.browser.submit(
            HTMLForm(page).with("username", self.instance.user).with("password", self.instance.password)
        )
    }

    /// Signs out, without a question where the ID token tells whose sign-out it is, and goes on to the program.
    private func signOut(_ url: String) async throws -> String {
        try Self.redirect(of: try await self.browser.get(url))
    }

    private static func asksWhoItIs(_ page: CookieBrowser.Page) -> Bool { page.url.contains("/accounts/login/") }

    private static func redirect(of page: CookieBrowser.Page) throws -> String {
        guard let redirect = page.redirect else {
            throw CookieBrowserError(url: page.url, reason: "no redirect, status \(page.status)")
        }
        return redirect
    }
}

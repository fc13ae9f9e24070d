// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth

/// A user who fills in the forms on django-oauth-toolkit's pages.
struct DjangoOAuthToolkitUser: Sendable {
    let instance: DjangoOAuthToolkitInstance
    let browser: CookieBrowser
    /// Whether the user denies access.
    let denies: Bool

    init(at instance: DjangoOAuthToolkitInstance, denies: Bool = false) throws {
        self.instance = instance
        self.denies = denies
        self.browser = try CookieBrowser(originOf: instance.issuer, transport: ProviderProgram.transport)
    }

    var userAgent: WalkingUserAgent {
        WalkingUserAgent { url in
            url.contains("/logout/?") ? try await self.signOut(url) : try await self.consent(url)
        }
    }

    /// Signs in, grants or denies access, and returns the redirect to the program.
    func consent(_ url: String) async throws -> String {
        var page = try await self.open(url)
        if page.redirect == nil {
            let form = try HTMLForm(page)
            page = try await self.browser.submit(self.denies ? form : form.with("allow", "Authorize"))
        }
        return try Self.redirect(of: page)
    }

    /// Approves the sign-in of another device.
    func approve(_ authorization: DeviceAuthorization) async throws {
        guard let url = authorization.verificationURIComplete else {
            throw CookieBrowserError(url: authorization.verificationURI, reason: "no complete verification URI")
        }
        let confirmation = try await self.browser.submit(HTMLForm(try await self.open(url)))
        let page = try await self.browser.submit(HTMLForm(confirmation).with("action", "accept"))
        guard page.text.contains("Device Authorized") else {
            throw CookieBrowserError(url: page.url, reason: "not authorized, status \(page.status)")
        }
    }

    /// Returns whether the user is signed in at the provider.
    func isSignedIn() async throws -> Bool {
        try await !Self.isSignInPage(self.browser.call(.get, "/o/authorized_tokens/"))
    }

    /// Opens a page, signing in first if the provider asks for it.
    private func open(_ url: String) async throws -> CookieBrowser.Page {
        let page = try await self.browser.get(url)
        guard Self.isSignInPage(page) else { return page }
        return try await self.browser.submit(
            HTMLForm(page).with("username", self.instance.user).with("password", self.instance.password)
        )
    }

    /// Signs out, which needs no confirmation with an ID token hint, and returns the redirect to the program.
    private func signOut(_ url: String) async throws -> String {
        try Self.redirect(of: try await self.browser.get(url))
    }

    private static func isSignInPage(_ page: CookieBrowser.Page) -> Bool { page.url.contains("/accounts/login/") }

    private static func redirect(of page: CookieBrowser.Page) throws -> String {
        guard let redirect = page.redirect else {
            throw CookieBrowserError(url: page.url, reason: "no redirect, status \(page.status)")
        }
        return redirect
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth

/// A user of Glewlwyd's page, simulated with the requests that the script of the page sends.
struct GlewlwydUser: Sendable {
    let instance: GlewlwydInstance
    let browser: CookieBrowser

    init(at instance: GlewlwydInstance) throws {
        self.instance = instance
        self.browser = try CookieBrowser(originOf: instance.issuer, transport: ProviderProgram.transport)
    }

    var userAgent: WalkingUserAgent {
        WalkingUserAgent { url in
            url.contains("/end_session?") ? try await self.signOut(url) : try await self.consent(url)
        }
    }

    /// Signs in, grants all scopes, and returns the redirect to the program.
    func consent(_ url: String) async throws -> String {
        let page = try await self.browser.get(url)
        if let redirect = page.redirect { return redirect }
        guard let client = page.parameter("client_id") else {
            throw CookieBrowserError(url: page.url, reason: "no client")
        }
        try await self.grant(client)
        return try await self.redirect(url + "&g_continue")
    }

    /// Approves the sign-in of another device.
    func approve(_ authorization: DeviceAuthorization, by client: String) async throws {
        try await self.grant(client)
        guard let url = authorization.verificationURIComplete else {
            throw CookieBrowserError(url: authorization.verificationURI, reason: "no complete verification URI")
        }
        let page = try await self.browser.get(url + "&g_continue")
        guard page.parameter("prompt") == "deviceComplete" else {
            throw CookieBrowserError(url: page.url, reason: "not complete")
        }
    }

    /// Returns whether the user is signed in at the provider.
    func isSignedIn() async throws -> Bool {
        try await self.browser.call(.get, "/api/profile_list/").status == 200
    }

    private func grant(_ client: String) async throws {
        try await self.browser.call(
            .post,
            "/api/auth/",
            json: #"{"username":"\#(self.instance.user)","password":"\#(self.instance.password)"}"#
        )
        try await self.browser.call(.put, "/api/auth/grant/\(client)", json: #"{"scope":"openid email files"}"#)
    }

    /// Signs out completely, as the button of the page does, and returns the redirect to the program.
    private func signOut(_ url: String) async throws -> String {
        let page = try await self.browser.get(url)
        guard page.parameter("prompt") == "end_session", let session = page.parameter("sid"),
            let target = page.parameter("callback_url")
        else { throw CookieBrowserError(url: page.url, reason: "no sign-out") }
        try await self.browser.call(.delete, "/api/oidc/session/\(session)")
        try await self.browser.call(.delete, "/api/auth/")
        return target
    }

    private func redirect(_ url: String) async throws -> String {
        let page = try await self.browser.get(url)
        guard let redirect = page.redirect else {
            throw CookieBrowserError(url: page.url, reason: "no redirect, status \(page.status)")
        }
        return redirect
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TestTransport
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraUserAgents
internal import Testing

@Suite(
    "Sign-in with Chromium at Glewlwyd",
    .enabled(
        if: BrowserRequirement.chromiumAndGlewlwyd == nil,
        "\(BrowserRequirement.chromiumAndGlewlwyd ?? "")"
    )
)
struct ChromiumGlewlwydTests {
    @Test(
        "A user at Glewlwyd withholds a scope, grants it later, and denies another one",
        arguments: ["confidential", "public"]
    )
    func granularConsent(client kind: String) async throws {
        let transport = TestTransport.make()
        // Glewlwyd compares redirect URIs including the port.
        let redirectURI = "http://127.0.0.1:\(try FreePort.find())/callback"
        try await GlewlwydInstance.with(redirectURI: redirectURI) { glewlwyd in
            try await ChromeDriver.withBrowser(transport: transport) { session in
                let browser = TestBrowser(session: session, redirect: try LoopbackRedirect(redirectURI: redirectURI))
                let pages = GlewlwydPages(browser: session, instance: glewlwyd)
                let store = InMemoryStore()
                let client = kind == "public" ? glewlwyd.publicClient : glewlwyd.confidentialClient
                let signIn = SignIn(
                    try .issuer(glewlwyd.issuer, client: try client.oauthClient, insecure: .loopbackHTTP),
                    transport: transport,
                    store: store,
                    userAgent: browser.userAgent
                )

                let signedIn =
                    try await browser.result {
                        try await signIn.signIn(scopes: [.openID, .email, "files"])
                    } while: {
                        try await pages.signIn()
                        try await pages.grant(["email"])
                        let page = try await browser.lastPage()
                        #expect(!page.address.contains("code"), "the code is still in the address bar")
                    }
                    .get()
                #expect(signedIn.grantedScopes.contains(.email))
                #expect(signedIn.grantedScopes.missing == ["files"])

                let granted =
                    try await browser.result {
                        try await signIn.addScopes(["files"], to: signedIn)
                    } while: {
                        try await pages.grant(["email", "files"])
                        _ = try await browser.lastPage()
                    }
                    .get()
                #expect(granted.contains("files"))
                #expect(signedIn.grantedScopes == granted)

                // Glewlwyd has no deny button. A user who denies a scope leaves it unselected.
                let refused =
                    try await browser.result {
                        try await signIn.addScopes(["calendar"], to: signedIn)
                    } while: {
                        try await pages.grant(["email", "files"])
                        _ = try await browser.lastPage()
                    }
                    .get()
                #expect(refused.missing == ["calendar"])
                #expect(refused.contains("files"))

                _ = try await signedIn.refresh()
                #expect(try await signedIn.userInfo()["email"]?.string == "ada@example.org")
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TestTransport
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraUserAgents
internal import Testing

@Suite(
    "A person with Chromium at Glewlwyd, a provider from elsewhere",
    .enabled(
        if: BrowserRequirement.chromiumAndGlewlwyd == nil,
        "\(BrowserRequirement.chromiumAndGlewlwyd ?? "")"
    )
)
struct ChromiumGlewlwydTests {
    @Test(
        "A person signs in, unticks a scope, grants it later, and refuses another",
        arguments: ["confidential", "public"]
    )
    func granularConsent(client kind: String) async throws {
        let transport = TestTransport.make()
        // Glewlwyd compares redirect URIs with their port.
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
                #expect(signedIn.grant.contains(.email))
                #expect(signedIn.grant.missing == ["files"])

                let grant =
                    try await browser.result {
                        try await signIn.addScopes(["files"], to: signedIn)
                    } while: {
                        try await pages.grant(["email", "files"])
                        _ = try await browser.lastPage()
                    }
                    .get()
                #expect(grant.contains("files"))
                #expect(signedIn.grant == grant)

                // No button of Glewlwyd refuses: a person who does not want it leaves it unticked.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TestTransport
internal import TesseraJSON
internal import TesseraGoogle
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TesseraUserAgents
internal import Testing

@Suite(
    "Sign-in with Chromium at the local provider",
    .enabled(if: BrowserRequirement.chromium == nil, "\(BrowserRequirement.chromium ?? "")")
)
struct ChromiumLocalProviderTests {
    private static let files: Scope = "https://www.googleapis.com/auth/drive.readonly"
    private static let calendar: Scope = "https://www.googleapis.com/auth/calendar.readonly"

    @Test("A user withholds a scope, grants it later, and denies another one")
    func granularConsent() async throws {
        let transport = TestTransport.make()
        let provider = try await LocalProvider.start()
        let ada = LocalProviderAccount.samples[0]
        try await ChromeDriver.withBrowser(transport: transport) { session in
            let browser = TestBrowser(session: session, redirect: LoopbackRedirect())
            let pages = LocalProviderPages(browser: session)
            let store = InMemoryStore()
            let signIn = SignIn(
                try .google(GoogleClientFile(parsing: Array(provider.clientSecretFile.utf8)), insecure: .loopbackHTTP),
                transport: transport,
                store: store,
                userAgent: browser.userAgent
            )

            let signedIn =
                try await browser.result {
                    try await signIn.signIn(scopes: [.openID, .email, Self.files])
                } while: {
                    try await pages.choose(ada.subject)
                    try await Screenshots.take("consent", of: session)
                    try await pages.allow([])
                    let page = try await browser.lastPage()
                    #expect(page.text.contains(ada.email))
                    #expect(!page.address.contains("code"), "the code is still in the address bar")
                    try await Screenshots.take("signed-in", of: session)
                }
                .get()
            #expect(signedIn.identity.email == ada.email)
            #expect(signedIn.grantedScopes.missing == [Self.files])

            let grant =
                try await browser.result {
                    try await signIn.addScopes([Self.files], to: signedIn)
                } while: {
                    try await pages.choose(ada.subject)
                    try await pages.allow([Self.files.rawValue])
                    _ = try await browser.lastPage()
                }
                .get()
            #expect(grant.contains(Self.files))
            #expect(signedIn.grantedScopes == grant)
            #expect(try await signedIn.userInfo()["email"]?.string == ada.email)

            let refused = try await browser.result {
                try await signIn.addScopes([Self.calendar], to: signedIn)
            } while: {
                try await pages.choose(ada.subject)
                try await pages.cancel()
                _ = try await browser.lastPage()
            }
            #expect { try refused.get() } throws: { OAuthError.Code.accessDenied ~= $0 }
            #expect(signedIn.grantedScopes == grant)
            #expect(try await signIn.restore()?.grantedScopes == grant)
        }
        await provider.stop()
    }

    @Test("A denied sign-in leaves the store empty")
    func refusal() async throws {
        let transport = TestTransport.make()
        let provider = try await LocalProvider.start()
        try await ChromeDriver.withBrowser(transport: transport) { session in
            let browser = TestBrowser(session: session, redirect: LoopbackRedirect())
            let pages = LocalProviderPages(browser: session)
            let store = InMemoryStore()
            let signIn = SignIn(
                try .google(GoogleClientFile(parsing: Array(provider.clientSecretFile.utf8)), insecure: .loopbackHTTP),
                transport: transport,
                store: store,
                userAgent: browser.userAgent
            )
            let result = try await browser.result {
                try await signIn.signIn(scopes: [.openID, .email])
            } while: {
                try await pages.choose(LocalProviderAccount.samples[1].subject)
                try await pages.cancel()
                let page = try await browser.lastPage()
                #expect(!page.address.contains("error"))
                try await Screenshots.take("refused", of: session)
            }
            #expect { try result.get() } throws: { OAuthError.Code.accessDenied ~= $0 }
            #expect(try await store.list() == [])
        }
        await provider.stop()
    }
}

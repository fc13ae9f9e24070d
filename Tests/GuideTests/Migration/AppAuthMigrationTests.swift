// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

/// Runs the code in the guides for migrating from AppAuth, GTMAppAuth and GTMOAuth2.
@Suite("Guides for migrating from AppAuth, GTMAppAuth and GTMOAuth2")
struct AppAuthMigrationTests {
    /// A browser that passes the URLs of its pages to the test.
    private final class Browser: OIDExternalUserAgent {
        private let pages = AsyncStream.makeStream(of: String.self)

        func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool {
            self.pages.continuation.yield(request.externalUserAgentRequestURL().absoluteString)
            return true
        }

        func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) { completion() }

        func page() async throws -> String { try #require(await self.pages.stream.first { _ in true }) }
    }

    private let network: ScriptedProvider

    init() throws {
        var options = ScriptedProvider.Options()
        options.requiresClientSecret = false
        self.network = try ScriptedProvider(options: options)
        let location = ScriptedProvider.issuer
        self.network.intercept("/.well-known/openid-configuration") { _ in
            .json(
                """
                {"issuer":"\(location)","authorization_endpoint":"\(location)/authorize","token_endpoint":"\(location)/token",\
                "jwks_uri":"\(location)/keys","response_types_supported":["code"],"subject_types_supported":["public"],\
                "id_token_signing_alg_values_supported":["ES256"]}
                """
            )
        }
    }

    /// Runs the program's code with the runtime of the scripted provider.
    private func run(_ body: @MainActor () async throws -> Void) async throws {
        try await AppAuthEnvironment.$ofTask.withValue(AppAuthEnvironment(runtime: self.network.runtime)) {
            try await body()
        }
    }

    /// Signs a user in with the program.
    @MainActor
    private func signedIn() async throws -> Login {
        let (login, browser, ends) = (Login(), Browser(), Calls())
        login.start(
            issuer: try #require(URL(string: ScriptedProvider.issuer)),
            clientID: ScriptedProvider.clientID,
            redirectURL: try #require(URL(string: "com.example.app:/callback")),
            browser: browser
        ) { ends.record($0) }
        let redirect = try self.network.consent(to: try await browser.page())
        #expect(!login.opened(try #require(URL(string: "com.example.app:/other"))))
        #expect(login.opened(try #require(URL(string: redirect))))
        #expect(await ends.next() == "done")
        return login
    }

    @Test("An AppAuth program signs in and calls with a refreshed token")
    func appAuth() async throws {
        try await self.run {
            let login = try await self.signedIn()
            self.network.clock.advance(by: .seconds(3_600))
            let calls = Calls()
            login.call {
                calls.record($0)
            } failed: {
                calls.record($0)
            }
            #expect(await calls.next().hasPrefix("Bearer "))
            #expect(self.network.refreshes.count == 1)
        }
    }

    @Test("Imports an archived AppAuth state into a store")
    func archive() async throws {
        try await self.run {
            let state = try #require(try await self.signedIn().state)
            let archive = try AppAuthArchive.archive(state)
            let store = KeychainStore(itemName: "login", keychainHelper: KeychainInMemory())
            let session = try importArchive(archive, into: store)
            #expect(session.authState.refreshToken == state.refreshToken)
            #expect(try store.retrieveAuthSession().userEmail == "ada@example.com")
        }
    }

    @Test("A GTMAppAuth program saves its session, fetches with it in the next run, and removes it")
    func appAuthSession() async throws {
        try await self.run {
            let store = KeychainStore(itemName: "authorization", keychainHelper: KeychainInMemory())
            try Mailbox(store: store).signedIn(try #require(try await self.signedIn().state))
            self.network.intercept("/mail") { _ in .json("[]") }
            let mailbox = Mailbox(store: store)
            #expect(mailbox.open())
            #expect(mailbox.session?.userEmail == "ada@example.com")
            let responses = Calls()
            let record: (Data?, (any Error)?) -> Void = { data, error in
                responses.record(data.map { String(decoding: $0, as: UTF8.self) } ?? error?.localizedDescription ?? "")
            }
            mailbox.get(ScriptedProvider.api + "/mail", done: record)
            #expect(await responses.next().contains("authorizedOrigins"))
            let session = try #require(mailbox.session)
            // guide: more-origins
            session.authorizedOrigins.append(try OriginPattern("https://api.example"))
            // end
            mailbox.get(ScriptedProvider.api + "/mail", done: record)
            #expect(await responses.next() == "[]")
            try mailbox.close()
            #expect(!Mailbox(store: store).open())
        }
    }

    @Test("Converts the session of a GTMOAuth2 program on the first launch")
    func oldFormat() async throws {
        try await self.run {
            let keychain = KeychainInMemory()
            let store = KeychainStore(itemName: "Example: Calendar", keychainHelper: keychain)
            #expect(try CalendarAccess(store: store).email == nil)
            let old =
                "email=ada%40example.com&isVerified=1&refresh_token=old&scope=openid&serviceProvider=Google&userID=1"
            try keychain.setPassword(old, forService: "Example: Calendar")
            #expect(try CalendarAccess(store: store).email == "ada@example.com")
            #expect(throws: Never.self) { try store.retrieveAuthSession() }
            let access = try CalendarAccess(store: store)
            #expect(access.email == "ada@example.com")
            self.network.intercept("/token") { _ in
                .json(#"{"access_token":"fresh","token_type":"Bearer","expires_in":3600}"#)
            }
            let url = try #require(URL(string: "https://www.googleapis.com/calendar/v3/users/me/calendarList"))
            let (request, ends) = (NSMutableURLRequest(url: url), Calls())
            access.authorize(request) { ends.record($0) }
            #expect(await ends.next() == "done")
            #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer fresh")
            try access.signOut()
            #expect(try CalendarAccess(store: store).email == nil)
        }
    }
}

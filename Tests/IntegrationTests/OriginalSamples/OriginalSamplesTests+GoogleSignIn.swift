// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && !canImport(Darwin)
internal import Foundation
internal import FoundationNetworking
internal import LoopbackHTTP
@testable internal import OriginalSamples
internal import Tessera
@testable internal import TesseraGoogleSignIn
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TesseraSupport
internal import TestTraits
internal import TestTransport
internal import Testing

extension OriginalSamplesTests {
    /// The values of a model, one for each change.
    @MainActor
    private struct States {
        let model: AuthenticationViewModel
        private let changes: AsyncStream<Void>

        init(_ model: AuthenticationViewModel) {
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            self.model = model
            self.changes = changes
            model.$state.didChange = { _ in change.yield() }
        }

        /// Waits for a change, and returns the user who is then signed in.
        func next() async -> GIDGoogleUser? {
            for await _ in self.changes { break }
            if case .signedIn(let user) = self.model.state { return user }
            return nil
        }
    }

    /// Starts a server with the birthday of the signed-in user.
    private func startPeopleAPI() throws -> LoopbackServer {
        try LoopbackServer.start(on: .ipv4) { request in
            let token = GIDSignIn.sharedInstance.currentUser?.accessToken.tokenString
            guard let token, request.value(of: "Authorization") == "Bearer \(token)" else {
                return LoopbackResponse(status: 401)
            }
            let body = #"{"birthdays":[{"date":{"month":12,"day":10}}]}"#
            let fields = [(name: "Content-Type", value: "application/json")]
            return LoopbackResponse(status: 200, headers: fields, body: Array(body.utf8))
        }
    }

    /// Runs `body` with an app whose Info.plist and browser are those of the local provider.
    private func withGoogleApp(_ body: (LocalProvider) async throws -> Void) async throws {
        var options = LocalProviderOptions()
        options.additionalScopes = [BirthdayLoader.birthdayReadScope: "See your birthday"]
        let provider = try await LocalProvider.start(options)
        let file = FileManager.default.temporaryDirectory.appending(path: "client-\(UUID().uuidString).json")
        try provider.clientSecretFile.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let configuration = try GIDConfiguration(clientFile: file.path, insecure: .loopbackHTTP)
        let transport = TestTransport.make()
        let agent = WalkingUserAgent(walk: ConsentWalk(transport: transport))
        let signIn = SignIn(
            try configuration.provider,
            transport: transport,
            store: InMemoryStore(),
            userAgent: agent
        )
        GIDSignIn.sharedInstance.state.withLock { state in
            state = GIDSignIn.State()
            state.configuration = configuration
            state.signIn = signIn
        }
        let window = UIWindow()
        window.rootViewController = UIViewController()
        UIApplication.shared.windows = [window]
        UIApplication.shared.userAgent = agent
        try await body(provider)
        UIApplication.shared.windows = []
        UIApplication.shared.userAgent = nil
        GIDSignIn.sharedInstance.state.withLock { $0 = GIDSignIn.State() }
        await provider.stop()
    }

    @Test(
        "GoogleSignIn's sample signs in, adds a scope, calls an API, and continues after a new launch",
        .original("GoogleSignIn Samples/Swift/DaysUntilBirthday")
    )
    func birthday() async throws {
        try await self.withGoogleApp { _ in
            let app = DaysUntilBirthday()
            let states = States(app.authViewModel)
            app.onAppear()
            #expect(await states.next() == nil)
            #expect((app.authViewModel.problem as? GIDSignInError)?.code == .hasNoAuthInKeychain)

            app.authViewModel.signIn()
            let user = await states.next()
            #expect(user?.profile?.email == "ada@example.com")
            #expect(user?.profile?.name == "Ada Marlow")
            #expect(app.authViewModel.claims["email"] as? String == "ada@example.com")
            #expect(!app.authViewModel.hasBirthdayReadScope)

            await withCheckedContinuation { continuation in
                app.authViewModel.addBirthdayReadScope { continuation.resume() }
            }
            #expect(await states.next()?.userID == user?.userID)
            #expect(app.authViewModel.hasBirthdayReadScope)

            let server = try self.startPeopleAPI()
            let address = try #require(URL(string: "http://\(server.host):\(server.port)/v1/people/me"))
            let birthday = try await BirthdayLoader(url: address).loadBirthday()
            #expect(birthday == BirthdayResponse.Birthday.Day(month: 12, day: 10))
            server.stop()

            // A new launch has no current user before it restores the stored one.
            GIDSignIn.sharedInstance.state.withLock { $0.user = nil }
            let later = DaysUntilBirthday()
            let laterStates = States(later.authViewModel)
            later.onAppear()
            #expect(await laterStates.next()?.userID == user?.userID)
            #expect(later.authViewModel.hasBirthdayReadScope)
            #expect(!later.onOpenURL(try #require(URL(string: "com.example.sample:/other"))))
        }
    }

    @Test(
        "GoogleSignIn's sample signs out and disconnects",
        .original("GoogleSignIn Samples/Swift/DaysUntilBirthday, GoogleSignInAuthenticator.disconnect()")
    )
    func disconnect() async throws {
        try await self.withGoogleApp { provider in
            let app = DaysUntilBirthday()
            let states = States(app.authViewModel)
            app.authViewModel.signIn()
            #expect(await states.next() != nil)
            app.authViewModel.signOut()
            #expect(await states.next() == nil)
            #expect(GIDSignIn.sharedInstance.currentUser == nil)
            #expect(!GIDSignIn.sharedInstance.hasPreviousSignIn())

            app.authViewModel.signIn()
            var request = URLRequest(url: try #require(URL(string: provider.baseURL + "/v1/userinfo")))
            let token = try #require(await states.next()).accessToken.tokenString
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            #expect((try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode == 200)
            app.authViewModel.disconnect()
            #expect(await states.next() == nil)
            #expect(app.authViewModel.problem == nil)
            #expect((try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode == 401)
            app.onAppear()
            #expect(await states.next() == nil)
            #expect((app.authViewModel.problem as? GIDSignInError)?.code == .hasNoAuthInKeychain)
        }
    }
}
#endif

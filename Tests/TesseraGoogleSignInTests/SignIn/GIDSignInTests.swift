// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import Tessera
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("GIDSignIn")
struct GIDSignInTests {
    @Test("Requests each scope once and includes earlier grants")
    func request() async throws {
        let program = try Program()
        let presenter = program.presenter()
        let scopes = ["https://www.googleapis.com/auth/userinfo.email", Program.drive, "profile"]
        try await program.google.signIn(withPresenting: presenter, hint: "ada@example.com", additionalScopes: scopes)
        #expect(presenter.userAgent.parameter("scope") == scopes.joined(separator: " ") + " openid")
        #expect(presenter.userAgent.parameter("login_hint") == "ada@example.com")
        #expect(presenter.userAgent.parameter("include_granted_scopes") == "true")
        #expect(presenter.userAgent.parameter("audience") == nil)
        #expect(presenter.userAgent.parameter("hd") == nil)
    }

    @Test("Returns a server code and sends the server client ID and realm")
    func serverAuthCode() async throws {
        var options = ScriptedProvider.Options()
        options.additionalTokenMembers = ["server_code": "4/for-the-server"]
        let configuration = GIDConfiguration(
            clientID: ScriptedProvider.clientID,
            serverClientID: "server",
            hostedDomain: "example.com",
            openIDRealm: "https://example.com"
        )
        let program = try Program(options, configuration: configuration)
        let presenter = program.presenter()
        let result = try await program.google.signIn(withPresenting: presenter)
        #expect(result.serverAuthCode == "4/for-the-server")
        #expect(presenter.userAgent.parameter("audience") == "server")
        #expect(presenter.userAgent.parameter("hd") == "example.com")
        #expect(presenter.userAgent.parameter("openid.realm") == nil)
        let exchange = try #require(program.network.requests("/token").first)
        #expect(exchange.formValue("audience") == "server")
        #expect(exchange.formValue("openid.realm") == "https://example.com")
    }

    @Test("Returns no server code without a server client ID")
    func noServerAuthCode() async throws {
        let program = try Program()
        #expect(try await program.google.signIn(withPresenting: program.presenter()).serverAuthCode == nil)
    }

    @Test("Rejects an account of another domain and signs no user in")
    func hostedDomain() async throws {
        let configuration = GIDConfiguration(clientID: ScriptedProvider.clientID, hostedDomain: "evil.example")
        let program = try Program(configuration: configuration)
        let code = await code { try await program.google.signIn(withPresenting: program.presenter()) }
        #expect(code == .hostedDomainMismatch)
        #expect(program.google.currentUser == nil)
        #expect(!program.google.hasPreviousSignIn())
    }

    @Test("Uses the nonce provided by the app")
    func nonce() async throws {
        let program = try Program()
        let presenter = program.presenter()
        let user = try await program.google.signIn(withPresenting: presenter, nonce: "from-the-server").user
        #expect(presenter.userAgent.parameter("nonce") == "from-the-server")
        let payload = try #require(user.idToken?.tokenString.split(separator: ".").dropFirst().first)
        let padded = payload + String(repeating: "=", count: (4 - payload.count % 4) % 4)
        let text = padded.replacing("-", with: "+").replacing("_", with: "/")
        let claims = try #require(Data(base64Encoded: String(text)))
        #expect(String(decoding: claims, as: UTF8.self).contains(#""nonce":"from-the-server""#))
    }

    @Test("Rejects an empty nonce before the browser opens")
    func emptyNonce() async throws {
        let program = try Program()
        let presenter = program.presenter()
        let code = await code { try await program.google.signIn(withPresenting: presenter, nonce: "") }
        #expect(code == .invalidConfiguration)
        #expect(presenter.userAgent.authorizationURLs == [])
    }

    @Test("Requests claims in the ID token and rejects conflicting ones")
    func claims() async throws {
        let program = try Program()
        let presenter = program.presenter()
        try await program.google.signIn(withPresenting: presenter, claims: [.essentialAuthTime()])
        #expect(presenter.userAgent.parameter("claims") == #"{"id_token":{"auth_time":{"essential":true}}}"#)
        let both = await code {
            try await program.google.signIn(withPresenting: presenter, claims: [.authTime(), .essentialAuthTime()])
        }
        #expect(both == .ambiguousClaims)
    }

    @Test("Distinguishes a denied request from a closed page")
    func denied() async throws {
        let program = try Program()
        let denied = await code { try await program.google.signIn(withPresenting: program.denyingPresenter()) }
        #expect(denied == .accessDenied)
        let closing = Presenter(ScriptedUserAgent { _ in throw SignInError(.canceled) })
        let closed = await code { try await program.google.signIn(withPresenting: closing) }
        #expect(closed == .canceled)
        #expect(program.google.currentUser == nil)
    }

    @Test("Calls a completion handler once on the callback queue")
    func callback() async throws {
        let program = try Program()
        let queue = DispatchQueue(label: "callbacks")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        program.google.callbackQueue = queue
        let (user, isOnQueue) = await withCheckedContinuation { continuation in
            program.google.signIn(withPresenting: program.presenter()) { result, error in
                continuation.resume(returning: (result?.user, DispatchQueue.getSpecific(key: key) == true))
            }
        }
        #expect(user != nil)
        #expect(user === program.google.currentUser)
        #expect(isOnQueue)
    }

    @Test("Completes two simultaneous sign-ins independently")
    func overlapping() async throws {
        let program = try Program(storesMultipleAccounts: true)
        async let first = program.google.signIn(withPresenting: program.presenter(as: "ada"), hint: "a")
        async let second = program.google.signIn(withPresenting: program.presenter(as: "bob"), hint: "b")
        let users = try await [first.user.userID, second.user.userID]
        #expect(users == ["ada", "bob"])
        #expect(try await program.google.previousUsers().count == 2)
    }

    @Test("Replaces the previous user with the new one")
    func another() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        try await program.google.signIn(withPresenting: program.presenter(as: "bob"))
        #expect(program.google.currentUser?.userID == "bob")
        #expect(try await program.restarted().google.restorePreviousSignIn().userID == "bob")
        #expect(try await program.google.previousUsers().map(\.userID) == ["bob"])
    }

    @Test("Rejects a missing client ID without trapping")
    func noConfiguration() async {
        let google = GIDSignIn(configuration: GIDConfiguration(clientID: ""))
        let browser = Presenter(ScriptedUserAgent { _ in [] })
        #expect(await code { try await google.signIn(withPresenting: browser) } == .invalidConfiguration)
        #expect(!google.hasPreviousSignIn())
    }

    @Test("Sends an App Check token if available and signs in without it otherwise")
    func appCheck() async throws {
        let program = try Program()
        try await program.google.configure(appCheckProvider: AppCheck(token: "proof"))
        let presenter = program.presenter()
        try await program.google.signIn(withPresenting: presenter)
        #expect(presenter.userAgent.parameter("client_assertion") == "proof")
        #expect(
            presenter.userAgent.parameter("client_assertion_type")
                == "urn:ietf:params:oauth:client-assertion-type:appcheck"
        )
        let failing = await code { try await program.google.configure(appCheckProvider: AppCheck(token: nil)) }
        #expect(failing == .unknown)
        try await program.google.signIn(withPresenting: presenter)
        #expect(presenter.userAgent.parameter("client_assertion") == nil)
    }
}

private struct AppCheck: GIDAppCheckTokenProvider {
    let token: String?

    func limitedUseToken() async throws -> String {
        guard let token else { throw CocoaError(.featureUnsupported) }
        return token
    }
}

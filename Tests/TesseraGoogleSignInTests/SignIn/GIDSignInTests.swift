// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import Tessera
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("GIDSignIn signs people in")
struct GIDSignInTests {
    @Test("The request asks for openid, email, profile and the program's scopes, each once, and for earlier grants")
    func request() async throws {
        let program = try Program()
        let person = program.person()
        let scopes = ["https://www.googleapis.com/auth/userinfo.email", Program.drive, "profile"]
        try await program.google.signIn(withPresenting: person, hint: "ada@example.com", additionalScopes: scopes)
        #expect(person.userAgent.parameter("scope") == "openid email profile \(Program.drive)")
        #expect(person.userAgent.parameter("login_hint") == "ada@example.com")
        #expect(person.userAgent.parameter("include_granted_scopes") == "true")
        #expect(person.userAgent.parameter("audience") == nil)
        #expect(person.userAgent.parameter("hd") == nil)
    }

    @Test("A server's client gets a code of its own, and is named in both requests, the realm in the second only")
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
        let person = program.person()
        let result = try await program.google.signIn(withPresenting: person)
        #expect(result.serverAuthCode == "4/for-the-server")
        #expect(person.userAgent.parameter("audience") == "server")
        #expect(person.userAgent.parameter("hd") == "example.com")
        #expect(person.userAgent.parameter("openid.realm") == nil)
        let exchange = try #require(program.network.requests("/token").first)
        #expect(exchange.formValue("audience") == "server")
        #expect(exchange.formValue("openid.realm") == "https://example.com")
    }

    @Test("Without a server's client there is no code for one")
    func noServerAuthCode() async throws {
        let program = try Program()
        #expect(try await program.google.signIn(withPresenting: program.person()).serverAuthCode == nil)
    }

    @Test("An account of another domain is refused, whatever Google's page showed, and nobody is signed in")
    func hostedDomain() async throws {
        let configuration = GIDConfiguration(clientID: ScriptedProvider.clientID, hostedDomain: "evil.example")
        let program = try Program(configuration: configuration)
        let code = await code { try await program.google.signIn(withPresenting: program.person()) }
        #expect(code == .hostedDomainMismatch)
        #expect(program.google.currentUser == nil)
        #expect(!program.google.hasPreviousSignIn())
    }

    @Test("A nonce of the caller's is sent, and is in the ID token")
    func nonce() async throws {
        let program = try Program()
        let person = program.person()
        let user = try await program.google.signIn(withPresenting: person, nonce: "from-the-server").user
        #expect(person.userAgent.parameter("nonce") == "from-the-server")
        let payload = try #require(user.idToken?.tokenString.split(separator: ".").dropFirst().first)
        let padded = payload + String(repeating: "=", count: (4 - payload.count % 4) % 4)
        let text = padded.replacing("-", with: "+").replacing("_", with: "/")
        let claims = try #require(Data(base64Encoded: String(text)))
        #expect(String(decoding: claims, as: UTF8.self).contains(#""nonce":"from-the-server""#))
    }

    @Test("An empty nonce is refused before the browser opens")
    func emptyNonce() async throws {
        let program = try Program()
        let person = program.person()
        let code = await code { try await program.google.signIn(withPresenting: person, nonce: "") }
        #expect(code == .invalidConfiguration)
        #expect(person.userAgent.authorizationURLs == [])
    }

    @Test("Claims are asked for in the ID token; one that is asked for both ways is refused")
    func claims() async throws {
        let program = try Program()
        let person = program.person()
        try await program.google.signIn(withPresenting: person, claims: [.essentialAuthTime()])
        #expect(person.userAgent.parameter("claims") == #"{"id_token":{"auth_time":{"essential":true}}}"#)
        let both = await code {
            try await program.google.signIn(withPresenting: person, claims: [.authTime(), .essentialAuthTime()])
        }
        #expect(both == .ambiguousClaims)
    }

    @Test("Who says no is told apart from who closes the page, and neither signs anybody in")
    func denied() async throws {
        let program = try Program()
        let denied = await code { try await program.google.signIn(withPresenting: program.denier()) }
        #expect(denied == .accessDenied)
        let closing = Presenter(ScriptedUserAgent { _ in throw SignInError(.givenUp) })
        let closed = await code { try await program.google.signIn(withPresenting: closing) }
        #expect(closed == .canceled)
        #expect(program.google.currentUser == nil)
    }

    @Test("A completion handler is called once, later, on the callback queue")
    func callback() async throws {
        let program = try Program()
        let queue = DispatchQueue(label: "callbacks")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        program.google.callbackQueue = queue
        let (user, isOnQueue) = await withCheckedContinuation { continuation in
            program.google.signIn(withPresenting: program.person()) { result, error in
                continuation.resume(returning: (result?.user, DispatchQueue.getSpecific(key: key) == true))
            }
        }
        #expect(user != nil)
        #expect(user === program.google.currentUser)
        #expect(isOnQueue)
    }

    @Test("Two sign-ins at once end each for itself")
    func overlapping() async throws {
        let program = try Program(keepsSeveralAccounts: true)
        async let first = program.google.signIn(withPresenting: program.person(as: "ada"), hint: "a")
        async let second = program.google.signIn(withPresenting: program.person(as: "bob"), hint: "b")
        let users = try await [first.user.userID, second.user.userID]
        #expect(users == ["ada", "bob"])
        #expect(try await program.google.previousUsers().count == 2)
    }

    @Test("Somebody else's sign-in takes the place of the one before, here and in the next run")
    func another() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        try await program.google.signIn(withPresenting: program.person(as: "bob"))
        #expect(program.google.currentUser?.userID == "bob")
        #expect(try await program.restarted().google.restorePreviousSignIn().userID == "bob")
        #expect(try await program.google.previousUsers().map(\.userID) == ["bob"])
    }

    @Test("Without a client ID a call says so, and nothing traps")
    func noConfiguration() async {
        let google = GIDSignIn(configuration: GIDConfiguration(clientID: ""))
        let browser = Presenter(ScriptedUserAgent { _ in [] })
        #expect(await code { try await google.signIn(withPresenting: browser) } == .invalidConfiguration)
        #expect(!google.hasPreviousSignIn())
    }

    @Test("The genuine program proves itself where it can, and a proof that fails keeps nobody out")
    func appCheck() async throws {
        let program = try Program()
        try await program.google.configure(appCheckProvider: AppCheck(token: "proof"))
        let person = program.person()
        try await program.google.signIn(withPresenting: person)
        #expect(person.userAgent.parameter("client_assertion") == "proof")
        #expect(
            person.userAgent.parameter("client_assertion_type")
                == "urn:ietf:params:oauth:client-assertion-type:appcheck"
        )
        let failing = await code { try await program.google.configure(appCheckProvider: AppCheck(token: nil)) }
        #expect(failing == .unknown)
        try await program.google.signIn(withPresenting: person)
        #expect(person.userAgent.parameter("client_assertion") == nil)
    }
}

private struct AppCheck: GIDAppCheckTokenProvider {
    let token: String?

    func limitedUseToken() async throws -> String {
        guard let token else { throw CocoaError(.featureUnsupported) }
        return token
    }
}

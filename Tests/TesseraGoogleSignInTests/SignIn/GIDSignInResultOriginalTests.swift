// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Tessera
@testable internal import TesseraGoogleSignIn
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Token requests and results as in GoogleSignIn")
struct GIDSignInResultOriginalTests {
    /// Returns a user agent that redirects with a code.
    private static func redirecting() -> ScriptedUserAgent {
        ScriptedUserAgent { url in
            let query = FormParameter.parse(String(url.drop { $0 != "?" }.dropFirst()))
            let state = query.first { $0.name == "state" }?.value ?? ""
            return [ScriptedUserAgent.redirectURI + "?code=4/code&state=\(state)"]
        }
    }

    @Test(
        "Exchanges the code at Google's token endpoint",
        .original("GoogleSignIn GIDSignIn.m kTokenURLTemplate")
    )
    func tokenEndpoint() async throws {
        let app = GoogleApp { _ in .json(#"{"error":"invalid_client"}"#, status: .badRequest) }
        let google = app.launched { GIDConfiguration(clientID: GoogleApp.clientID) }
        #expect(await code { try await google.signIn(withPresenting: Presenter(Self.redirecting())) } == .unknown)
        let request = try #require(app.transport.requests.first)
        #expect(app.transport.requests.count == 1)
        #expect(request.head.method == .post)
        #expect(request.url == "https://oauth2.googleapis.com/token")
        #expect(request.formValue("grant_type") == "authorization_code")
        #expect(request.formValue("code") == "4/code")
        #expect(request.formValue("code_verifier")?.isEmpty == false)
        #expect(google.currentUser == nil)
    }

    @Test(
        "Sends the server's client ID and the realm when it exchanges the code",
        .original("GoogleSignIn GIDSignInTest.testOpenIDRealm")
    )
    func serverAndRealm() async throws {
        let configuration = GIDConfiguration(
            clientID: ScriptedProvider.clientID,
            serverClientID: "server",
            openIDRealm: "https://example.com"
        )
        let program = try Program(configuration: configuration)
        _ = try await program.signedIn()
        let request = try #require(program.network.requests("/token").first)
        #expect(request.formValue("audience") == "server")
        #expect(request.formValue("openid.realm") == "https://example.com")
    }

    @Test(
        "Sends neither an audience nor a realm without them",
        .original("GoogleSignIn GIDSignIn.m maybeFetchToken:")
    )
    func plainExchange() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        let request = try #require(program.network.requests("/token").first)
        #expect(request.formValue("audience") == nil)
        #expect(request.formValue("openid.realm") == nil)
    }

    @Test(
        "Returns the code for the server, if the response has one",
        .original("GoogleSignIn GIDSignIn.m addCompletionCallback:"),
        arguments: ["4/server", nil]
    )
    func serverAuthCode(serverCode: String?) async throws {
        let program = try Program()
        if let serverCode { program.network.options.additionalTokenMembers = ["server_code": serverCode] }
        #expect(
            try await program.google.signIn(withPresenting: program.presenter()).serverAuthCode == serverCode
        )
    }

    @Test(
        "Makes the result's user the current user, whose session is stored before the handler is called",
        .original("GoogleSignIn GIDSignIn.m addCompletionCallback:")
    )
    func currentUser() async throws {
        let program = try Program()
        let google = program.google
        google.callbackQueue = DispatchQueue(label: "handlers")
        let (isCurrent, isStored) = await withCheckedContinuation { continuation in
            google.signIn(withPresenting: program.presenter()) { result, _ in
                let isCurrent = result != nil && result?.user === google.currentUser
                let account = result?.user.session.account
                Task {
                    let accounts = try? await program.store.list()
                    continuation.resume(returning: (isCurrent, account.map { accounts == [$0] } ?? false))
                }
            }
        }
        #expect(isCurrent)
        #expect(isStored)
    }

    @Test(
        "Reports a store that cannot be written as a keychain error and signs no user in",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_KeychainError")
    )
    func storeFails() async throws {
        let store = LockableStore()
        let program = try Program(store: store)
        let network = program.network
        let presenter = Presenter(
            ScriptedUserAgent { url in
                store.isLocked.withLock { $0 = true }
                return [try network.consent(to: url)]
            }
        )
        do {
            try await program.google.signIn(withPresenting: presenter)
            Issue.record("The store is locked.")
        } catch {
            #expect((error as NSError).domain == kGIDSignInErrorDomain)
            #expect((error as NSError).code == -2)
        }
        #expect(program.google.currentUser == nil)
    }

    @Test(
        "Keeps the current user if another sign-in fails",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_KeychainError")
    )
    func failureKeepsUser() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        #expect(await code { try await program.google.signIn(withPresenting: program.denyingPresenter()) } != nil)
        #expect(program.google.currentUser === user)
        #expect(program.google.hasPreviousSignIn())
    }

    @Test(
        "Leaves no user and no session after a failed first sign-in",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_ConsentCanceled")
    )
    func failedFirst() async throws {
        let program = try Program()
        #expect(await code { try await program.google.signIn(withPresenting: program.denyingPresenter()) } != nil)
        #expect(program.google.currentUser == nil)
        #expect(!program.google.hasPreviousSignIn())
        #expect(try await program.store.list().isEmpty)
    }

    @Test(
        "Replaces the user and the stored session by those of another account",
        .original("GoogleSignIn GIDSignIn.h signInWithPresentingViewController:completion:")
    )
    func replacesUser() async throws {
        let program = try Program()
        let first = try await program.signedIn()
        let second = try await program.google.signIn(withPresenting: program.presenter(as: "bob")).user
        #expect(program.google.currentUser === second)
        #expect(first.session.ended != nil)
        #expect(try await program.restarted().google.restorePreviousSignIn().userID == "bob")
    }

    @Test(
        "Creates a new user object when the same account signs in again",
        .original("GoogleSignIn GIDSignIn.m addSaveAuthCallback:")
    )
    func sameAccount() async throws {
        let program = try Program()
        let first = try await program.signedIn()
        let second = try await program.signedIn()
        #expect(first !== second)
        #expect(first != second)
        #expect(program.google.currentUser === second)
        // Both objects share the session of the account.
        #expect(first.accessToken == second.accessToken)
    }

    @Test(
        "Signs in without a completion handler",
        .original("GoogleSignIn GIDSignIn.h signInWithPresentingViewController:completion:")
    )
    func noHandler() async throws {
        let program = try Program()
        let arrival = AsyncStream.makeStream(of: Void.self)
        program.network.intercept("/userinfo") { _ in
            arrival.continuation.finish()
            return nil
        }
        program.google.signIn(withPresenting: program.presenter(), completion: nil)
        // The profile is requested after the user has become the current one.
        for await _ in arrival.stream {}
        #expect(program.google.currentUser?.userID == "ada")
    }

    @Test(
        "Calls each handler once, after the call has returned, on the callback queue",
        .original("GoogleSignIn GIDSignIn.h restorePreviousSignInWithCompletion:")
    )
    func handlers() async throws {
        let program = try Program()
        let google = program.google
        let queue = DispatchQueue(label: "handlers")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        google.callbackQueue = queue
        let calls = Mutex<[Bool]>([])
        let record: @Sendable () -> Void = {
            calls.withLock { $0.append(DispatchQueue.getSpecific(key: key) == true) }
        }
        // While the queue is suspended, a handler can only be called after its call has returned.
        queue.suspend()
        google.signIn(withPresenting: program.denyingPresenter()) { _, _ in record() }
        google.restorePreviousSignIn { _, _ in record() }
        google.disconnect { _ in record() }
        #expect(calls.withLock { $0.isEmpty })
        queue.resume()
        while calls.withLock({ $0.count }) < 3 { await Task.yield() }
        queue.sync {}
        #expect(calls.withLock { $0 } == [true, true, true])
    }

    @Test(
        "Rejects a token response without an ID token, because it does not identify the user",
        .original("GoogleSignIn GIDSignIn.m addDecodeIdTokenCallback:")
    )
    func noIDToken() async throws {
        let program = try Program()
        program.network.options.idTokens = { _, _ in nil }
        #expect(
            await code { try await program.google.signIn(withPresenting: program.presenter()) } == .unknown
        )
        #expect(program.google.currentUser == nil)
    }

    @Test(
        "Rejects an ID token of another issuer or with an invalid signature",
        .original("GoogleSignIn GIDSignIn.m addDecodeIdTokenCallback:"),
        arguments: [true, false]
    )
    func verifiesIDToken(isOtherIssuer: Bool) async throws {
        let program = try Program()
        if isOtherIssuer {
            program.issue([JSONMember(name: "iss", value: "https://other.example")])
        } else {
            let other = try ScriptedProvider()
            program.network.options.idTokens = { claims, _ in try other.sign(claims) }
        }
        #expect(
            await code { try await program.google.signIn(withPresenting: program.presenter()) } == .unknown
        )
        #expect(try await program.store.list().isEmpty)
    }
}

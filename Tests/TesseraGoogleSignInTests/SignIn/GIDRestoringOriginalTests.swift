// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import Tessera
@testable internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Restoration as in GoogleSignIn", .timeLimit(.minutes(1)))
struct GIDRestoringOriginalTests {
    private final class Handler: Sendable {
        let isCalled = Mutex(false)
    }

    @Test(
        "Finds a stored session and keeps it",
        .original("GoogleSignIn GIDSignInTest.testHasPreviousSignIn_HasBeenAuthenticated")
    )
    func hasPreviousSignIn() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        #expect(program.google.hasPreviousSignIn())
        let next = try program.restarted()
        for _ in 0..<2 { #expect(next.google.hasPreviousSignIn()) }
        #expect(next.google.currentUser == nil)
        #expect(try await program.store.list().count == 1)
    }

    @Test(
        "Finds no session if none is stored or the stored one has ended",
        .original("GoogleSignIn GIDSignInTest.testHasPreviousSignIn_HasNotBeenAuthenticated")
    )
    func hasNoPreviousSignIn() async throws {
        let program = try Program()
        #expect(!program.google.hasPreviousSignIn())
        let user = try await program.signedIn()
        program.expire()
        program.network.revokeEverything()
        _ = try? await user.refreshTokensIfNeeded()
        #expect(!program.google.hasPreviousSignIn())
        #expect(try !program.restarted().google.hasPreviousSignIn())
    }

    @Test(
        "Reports that no session is stored without a request",
        .original("GoogleSignIn GIDSignInTest.testRestorePreviousSignInWhenSignedOut")
    )
    func signedOut() async throws {
        let program = try Program()
        do {
            try await program.google.restorePreviousSignIn()
            Issue.record("No session is stored.")
        } catch {
            #expect((error as NSError).domain == kGIDSignInErrorDomain)
            #expect((error as NSError).code == -4)
        }
        #expect(program.network.requests.isEmpty)
    }

    @Test(
        "Restores no user without a session or a completion handler",
        .original("GoogleSignIn GIDSignInTest.testNotRestorePreviousSignInWhenSignedOutAndCompletionIsNil")
    )
    func noHandler() async throws {
        let program = try Program()
        program.google.restorePreviousSignIn(completion: nil)
        #expect(program.google.currentUser == nil)
    }

    @Test(
        "Sets the current user before the call returns, without a completion handler",
        .original("GoogleSignIn GIDSignInTest.testRestorePreviousSignInWhenCompletionIsNil")
    )
    func setsCurrentUser() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        let next = try program.restarted()
        next.google.restorePreviousSignIn(completion: nil)
        #expect(next.google.currentUser?.userID == "ada")
    }

    @Test(
        "Sets the current user before a refresh and calls the handler after it",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_RestoredSignInOldAccessToken")
    )
    func handlerWaits() async throws {
        let program = try Program()
        let access = try await program.signedIn().accessToken
        program.expire()
        let next = try program.restarted()
        next.google.callbackQueue = DispatchQueue(label: "handlers")
        let arrival = AsyncStream.makeStream(of: Void.self)
        let gate = AsyncStream.makeStream(of: Void.self)
        program.network.intercept("/token") { _ in
            arrival.continuation.finish()
            for await _ in gate.stream {}
            return nil
        }
        let handler = Handler()
        let restored = await withCheckedContinuation { continuation in
            next.google.restorePreviousSignIn { user, _ in
                handler.isCalled.withLock { $0 = true }
                continuation.resume(returning: user)
            }
            Task {
                for await _ in arrival.stream {}
                #expect(next.google.currentUser?.userID == "ada")
                #expect(next.google.currentUser?.accessToken == access)
                #expect(!handler.isCalled.withLock { $0 })
                gate.continuation.finish()
            }
        }
        let user = try #require(restored)
        #expect(user === next.google.currentUser)
        #expect(user.accessToken != access)
    }

    @Test(
        "Refreshes a token that expires in less than ten minutes",
        .original("GoogleSignIn GIDSignIn.m kMinimumRestoredAccessTokenTimeToExpire"),
        arguments: [(3_600, 0), (610, 0), (601, 0), (599, 1), (300, 1)] as [(Int, Int)]
    )
    func threshold(remaining: Int, refreshes: Int) async throws {
        let program = try Program()
        program.issueProfiles()
        _ = try await program.signedIn()
        program.network.clock.advance(by: .seconds(3_600 - remaining))
        let next = try program.restarted()
        _ = program.network.takeRequests()
        try await next.google.restorePreviousSignIn()
        #expect(program.network.refreshes.count == refreshes)
        if refreshes == 0 { #expect(program.network.requests.isEmpty) }
    }

    @Test(
        "Refreshes the token of the current user only in the last minute and returns the same object",
        .original("GoogleSignIn GIDSignIn.m signInWithOptions:"),
        arguments: [(300, 0), (50, 1)] as [(Int, Int)]
    )
    func currentUser(remaining: Int, refreshes: Int) async throws {
        let program = try Program()
        let user = try await program.signedIn()
        program.network.clock.advance(by: .seconds(3_600 - remaining))
        _ = program.network.takeRequests()
        #expect(try await program.google.restorePreviousSignIn() === user)
        #expect(program.network.requests("/token").count == refreshes)
        #expect(program.network.requests("/userinfo").isEmpty)
    }

    @Test(
        "Restores a user without a network",
        .original("GoogleSignIn GIDSignIn.m maybeFetchToken:")
    )
    func offline() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        program.expire()
        program.network.intercept("/token") { _ in throw TransportError(.cannotConnect) }
        let next = try program.restarted()
        _ = program.network.takeRequests()
        let user = try await next.google.restorePreviousSignIn()
        #expect(next.google.currentUser === user)
        #expect(program.network.requests("/userinfo").isEmpty)
    }

    @Test(
        "Reports a revoked grant once and then finds no session",
        .original("GoogleSignIn GIDSignIn.m maybeFetchToken:")
    )
    func revoked() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        program.expire()
        program.network.revokeEverything()
        let google = try program.restarted().google
        #expect(await code { try await google.restorePreviousSignIn() } == .sessionEnded)
        #expect(google.currentUser == nil)
        #expect(await code { try await google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
        #expect(!google.hasPreviousSignIn())
    }

    @Test(
        "Completes the profile of a restored user from userinfo",
        .original("GoogleSignIn GIDSignIn.m addDecodeIdTokenCallback:")
    )
    func profile() async throws {
        let program = try Program()
        program.network.intercept("/userinfo") { _ in
            .json(
                #"{"sub":"ada","name":"Ada L","given_name":"Ada","family_name":"L","picture":"https://e.example/p"}"#
            )
        }
        _ = try await program.signedIn()
        let profile = try #require(try await program.restarted().google.restorePreviousSignIn().profile)
        #expect(profile.email == "ada@example.com")
        #expect([profile.name, profile.givenName, profile.familyName] == ["Ada L", "Ada", "L"])
        #expect(profile.hasImage)
    }

    @Test(
        "Restores a user in the background without a request for the profile",
        .original("GoogleSignIn GIDSignIn.m addDecodeIdTokenCallback:")
    )
    func background() async throws {
        let suspension = ProcessSuspension(isInBackground: { true }, begin: { _, _ in {} })
        let program = try Program(suspension: suspension)
        _ = try await program.signedIn()
        _ = program.network.takeRequests()
        #expect(try await program.restarted().google.restorePreviousSignIn().userID == "ada")
        #expect(program.network.requests.isEmpty)
    }

    @Test(
        "Does not restore a user outside the configured domain",
        .original("GoogleSignIn GIDConfiguration.h hostedDomain")
    )
    func hostedDomain() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        let configuration = GIDConfiguration(clientID: ScriptedProvider.clientID, hostedDomain: "corp.example")
        let google = try program.restarted(configuration).google
        google.restorePreviousSignIn(completion: nil)
        #expect(google.currentUser == nil)
        #expect(await code { try await google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
    }

    @Test(
        "Calls the handlers of two simultaneous restorations once each, with the same user",
        .original("GoogleSignIn GIDSignIn.h restorePreviousSignInWithCompletion:")
    )
    func twoHandlers() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        program.expire()
        let google = try program.restarted().google
        google.callbackQueue = DispatchQueue(label: "handlers")
        let stream = AsyncStream.makeStream(of: GIDGoogleUser?.self)
        for _ in 0..<2 { google.restorePreviousSignIn { user, _ in stream.continuation.yield(user) } }
        var users: [GIDGoogleUser?] = []
        for await user in stream.stream {
            users.append(user)
            if users.count == 2 { break }
        }
        #expect(users.allSatisfy { $0 != nil && $0 === google.currentUser })
        #expect(program.network.refreshes.count == 1)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
@testable internal import TesseraGoogleSignIn
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Calls that overlap, each repeated 1,000 times.
///
/// Without sleeps, the tasks meet in a different order each time.
@Suite("Races of GoogleSignIn's calls", .timeLimit(.minutes(5)))
struct GIDRacesOriginalTests {
    private static let repetitions = 1_000

    @Test(
        "Concurrent refreshes share one request and return the same tokens",
        .original("GoogleSignIn GIDGoogleUserTest.testRefreshTokensIfNeeded (handleConcurrentRefresh)")
    )
    func refreshes() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        for _ in 0..<Self.repetitions {
            let before = user.accessToken
            program.expire()
            _ = program.network.takeRequests()
            let tokens = try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try await user.refreshTokensIfNeeded().accessToken } }
                group.addTask { user.accessToken }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let after = user.accessToken
            try #require(after != before)
            // The fifth task may read the token before the refresh.
            try #require(tokens.filter { $0 === after }.count >= 4)
            try #require(tokens.allSatisfy { $0 === after || $0 === before })
            try #require(program.network.refreshes.count == 1)
        }
    }

    @Test(
        "Concurrent restorations return one user object and refresh once",
        .original("GoogleSignIn GIDSignIn.h restorePreviousSignInWithCompletion:")
    )
    func restorations() async throws {
        let program = try Program()
        program.network.options.rotatesRefreshTokens = false
        let record = try await program.signedIn().session.record
        program.network.clock.advance(by: .seconds(3_100))
        for _ in 0..<Self.repetitions {
            let next = try await Self.launched(program, with: record)
            _ = program.network.takeRequests()
            let users = try await withThrowingTaskGroup { group in
                for _ in 0..<3 { group.addTask { try await next.google.restorePreviousSignIn() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let current = try #require(next.google.currentUser)
            try #require(users.allSatisfy { $0 === current })
            try #require(program.network.refreshes.count == 1)
        }
    }

    @Test(
        "A sign-out during a restoration leaves no user and no session",
        .original("GoogleSignIn GIDSignIn.m signOut")
    )
    func signOutDuringRestoration() async throws {
        let program = try Program()
        program.network.options.rotatesRefreshTokens = false
        let record = try await program.signedIn().session.record
        program.network.clock.advance(by: .seconds(3_100))
        for _ in 0..<Self.repetitions {
            let next = try await Self.launched(program, with: record)
            async let restored = code { try await next.google.restorePreviousSignIn() }
            async let signedOut = code { try await next.google.signOutAndWait() }
            let codes = await [restored, signedOut]
            try #require([nil, .hasNoAuthInKeychain].contains(codes[0]))
            try #require(codes[1] == nil)
            try #require(next.google.currentUser == nil)
            try #require(!next.google.hasPreviousSignIn())
            try #require(try await next.store.list().isEmpty)
        }
    }

    @Test(
        "One of two users who sign in at the same time remains, with the only session",
        .original("GoogleSignIn GIDSignIn.h signInWithPresentingViewController:completion:")
    )
    func twoSignIns() async throws {
        let program = try Program()
        program.issueProfiles()
        let google = program.google
        for _ in 0..<Self.repetitions {
            async let first = code { try await google.signIn(withPresenting: program.presenter(as: "ada")) }
            async let second = code { try await google.signIn(withPresenting: program.presenter(as: "bob")) }
            let codes = await [first, second]
            try #require(codes.contains(nil))
            try #require(codes.allSatisfy { $0 == nil || $0 == .canceled })
            let user = try #require(google.currentUser)
            try #require(user.session.ended == nil)
            try #require(try await program.store.list() == [user.session.account])
            _ = program.network.takeRequests()
        }
    }

    /// Returns the app after a launch, with a record in an empty store.
    private static func launched(_ program: Program, with record: SessionRecord) async throws -> Program {
        let next = try program.updated(InMemoryStore())
        try await next.store.update(record.account) { try await $0.save(record) }
        return next
    }
}

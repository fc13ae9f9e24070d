// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("GIDSignIn in a new installation")
struct GIDInstallationTests {
    /// Runs `body` with an app's container, which is empty and has no Application Support yet.
    private static func installed(_ body: () async throws -> Void) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "tessera-app-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: home) }
        try await UserPlaces.$ofTask.withValue(UserPlaces(layout: .library, home: home), operation: body)
    }

    private static func forgetting(_ program: Program) -> GIDSignIn {
        program.google.forgetsEarlierInstallations = true
        return program.google
    }

    @Test("By default a user of an earlier installation is restored")
    func byDefault() async throws {
        let program = try Program()
        try await Self.installed { _ = try await program.signedIn() }
        try await Self.installed {
            let google = try program.restarted().google
            #expect(!google.forgetsEarlierInstallations)
            #expect(try await google.restorePreviousSignIn().userID == "ada")
        }
    }

    @Test("Forgets an earlier installation's session at the first launch, and not its own at the next one")
    func forgetsSession() async throws {
        let program = try Program()
        try await Self.installed { _ = try await program.signedIn() }
        try await Self.installed {
            let next = try program.restarted()
            let google = Self.forgetting(next)
            #expect(!google.hasPreviousSignIn())
            #expect(await code { try await google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
            #expect(try await program.store.list().isEmpty)
            _ = try await next.signedIn()
            let later = Self.forgetting(try program.restarted())
            #expect(try await later.restorePreviousSignIn().userID == "ada")
        }
    }

    @Test("Forgets at the first sign-in, and keeps its result")
    func forgetsAtSignIn() async throws {
        let program = try Program(keepsSeveralAccounts: true)
        try await Self.installed { _ = try await program.signedIn() }
        try await Self.installed {
            let next = try program.restarted()
            let google = Self.forgetting(next)
            try await google.signIn(withPresenting: next.person(as: "bob"))
            #expect(try await google.previousUsers().map(\.userID) == ["bob"])
        }
    }

    @Test("Forgets the item of Google's own library, unless it cannot be decoded")
    func forgetsAncestor() async throws {
        let update = try await Update()
        try await Self.installed {
            let google = Self.forgetting(update.after)
            #expect(await code { try await google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
            #expect(update.passwords.isEmpty)
        }
        try update.passwords.setPassword(data: Data("x".utf8), forService: "auth", accessibility: nil)
        try await Self.installed {
            let google = Self.forgetting(try update.restarted())
            #expect(await code { try await google.restorePreviousSignIn() } == .keychain)
            #expect(!update.passwords.isEmpty)
        }
    }

    @Test("An installation that has run without the option keeps its user when the option is turned on")
    func turnedOnLater() async throws {
        let update = try await Update()
        try await Self.installed {
            _ = try await update.after.google.previousSignInExists()
            let google = Self.forgetting(try update.restarted())
            #expect(try await google.restorePreviousSignIn().userID == "ada")
        }
    }

    @Test("On a locked device nothing is forgotten and nothing restored; the first call after the unlock forgets")
    func locked() async throws {
        let update = try await Update()
        try await Self.installed {
            let google = Self.forgetting(update.after)
            update.passwords.fail(KeychainStatus.interactionNotAllowed)
            #expect(await code { try await google.restorePreviousSignIn() } == .keychain)
            update.passwords.fail(nil)
            #expect(!update.passwords.isEmpty)
            #expect(await code { try await google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
            #expect(update.passwords.isEmpty)
        }
    }

    @Test(
        "Callers that block every cooperative thread in a new installation do not wait for one",
        .timeLimit(.minutes(1))
    )
    func blockedThreads() async throws {
        try await Self.installed {
            let programs = try (0..<32).map { _ in try Program() }
            for program in programs { _ = try await program.signedIn() }
            let results = try await withThrowingTaskGroup { group in
                for program in programs {
                    let google = try program.restarted().google
                    group.addTask { google.hasPreviousSignIn() }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results == [Bool](repeating: true, count: 32))
        }
    }

    @Test(
        "A call that blocks the main thread does not wait for the main thread's own call",
        .timeLimit(.minutes(1)),
        arguments: 0..<12
    )
    @MainActor func blockedMainThread(steps: Int) async throws {
        try await Self.installed {
            let google = try Program().google
            let call = Task { try await google.previousSignInExists() }
            // However far that call has come.
            for _ in 0..<steps { await Task.yield() }
            #expect(!google.hasPreviousSignIn())
            #expect(try await !call.value)
        }
    }

    @Test(
        "Callers that block every cooperative thread do not wait for one while activities of the process remove sign-ins",
        .timeLimit(.minutes(1))
    )
    func blockedThreadsInActivities() async throws {
        let suspension = ProcessSuspension(isInBackground: { false }, begin: { _, _ in {} })
        let programs = try (0..<32).map { _ in try Program(suspension: suspension) }
        for program in programs { _ = try await program.signedIn() }
        let results = try await withThrowingTaskGroup { group in
            for program in programs {
                let google = Self.forgetting(try program.restarted())
                group.addTask {
                    var isFound = true
                    try await Self.installed { isFound = google.hasPreviousSignIn() }
                    return isFound
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == [Bool](repeating: false, count: 32))
    }

    @Test(
        "Nothing is forgotten where the system has no containers, or one that does not last",
        arguments: [UserPlaces.Layout.xdg, .caches]
    )
    func noContainer(layout: UserPlaces.Layout) async throws {
        let program = try Program()
        try await UserPlaces.$ofTask.withValue(UserPlaces(layout: layout, home: "/nowhere")) {
            _ = try await program.signedIn()
            let google = Self.forgetting(try program.restarted())
            #expect(try await google.restorePreviousSignIn().userID == "ada")
        }
    }
}

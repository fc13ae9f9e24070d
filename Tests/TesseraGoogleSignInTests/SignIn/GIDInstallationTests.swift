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
    /// Runs `body` in an empty app container without an Application Support directory.
    private static func installed(_ body: () async throws -> Void) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "tessera-app-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: home) }
        try await UserFolders.$ofTask.withValue(UserFolders(layout: .library, home: home), operation: body)
    }

    private static func forgetting(_ program: Program) -> GIDSignIn {
        program.google.forgetsEarlierInstallations = true
        return program.google
    }

    @Test("Restores a user of an earlier installation by default")
    func byDefault() async throws {
        let program = try Program()
        try await Self.installed { _ = try await program.signedIn() }
        try await Self.installed {
            let google = try program.restarted().google
            #expect(!google.forgetsEarlierInstallations)
            #expect(try await google.restorePreviousSignIn().userID == "ada")
        }
    }

    @Test("Forgets an earlier installation's session only at the first launch")
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

    @Test("Forgets earlier sessions at the first sign-in and keeps the new one")
    func forgetsAtSignIn() async throws {
        let program = try Program(storesMultipleAccounts: true)
        try await Self.installed { _ = try await program.signedIn() }
        try await Self.installed {
            let next = try program.restarted()
            let google = Self.forgetting(next)
            try await google.signIn(withPresenting: next.presenter(as: "bob"))
            #expect(try await google.previousUsers().map(\.userID) == ["bob"])
        }
    }

    @Test("Forgets the item of Google's library unless it cannot be decoded")
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

    @Test("Keeps the user if the option is turned on after the first launch")
    func turnedOnLater() async throws {
        let update = try await Update()
        try await Self.installed {
            _ = try await update.after.google.previousSignInExists()
            let google = Self.forgetting(try update.restarted())
            #expect(try await google.restorePreviousSignIn().userID == "ada")
        }
    }

    @Test("Forgets nothing on a locked device and forgets the session after the unlock")
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
        "Does not deadlock if callers block every cooperative thread",
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
        "Does not deadlock if a call blocks the main thread during another call",
        .timeLimit(.minutes(1)),
        arguments: 0..<12
    )
    @MainActor func blockedMainThread(steps: Int) async throws {
        try await Self.installed {
            let google = try Program().google
            let call = Task { try await google.previousSignInExists() }
            // Lets the other call advance by a different number of steps in each run.
            for _ in 0..<steps { await Task.yield() }
            #expect(!google.hasPreviousSignIn())
            #expect(try await !call.value)
        }
    }

    @Test(
        "Does not deadlock in activities if callers block every cooperative thread",
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
        "Forgets nothing on systems without persistent containers",
        arguments: [UserFolders.Layout.xdg, .caches]
    )
    func noContainer(layout: UserFolders.Layout) async throws {
        let program = try Program()
        try await UserFolders.$ofTask.withValue(UserFolders(layout: layout, home: "/nowhere")) {
            _ = try await program.signedIn()
            let google = Self.forgetting(try program.restarted())
            #expect(try await google.restorePreviousSignIn().userID == "ada")
        }
    }
}

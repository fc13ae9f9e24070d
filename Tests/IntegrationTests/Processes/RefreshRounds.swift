// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Foundation
internal import Tessera
internal import TestTransport
internal import TesseraLocalProvider
internal import TesseraPostgreSQL
internal import TesseraSQLite
internal import TesseraStores
internal import TestPrograms

/// A series of rounds in which several processes find the token of one account expired at the same time.
///
/// The provider rotates refresh tokens and ends the session when a refresh token is used twice.
struct RefreshRounds: Sendable {
    /// `file`, `sqlite` or `postgresql`.
    var kind: String
    var processes: Int
    var rounds: Int
    /// The database server, for `postgresql`.
    var server: PostgreSQLInstance?

    /// The result of the rounds.
    struct Outcome: Sendable, Equatable {
        var rounds = 0
        var tokenRequests = 0
        var invalidGrants = 0
        /// The unexpected results, in order.
        var failures: [String] = []

        /// Returns the outcome if all processes get the same new token in each round and send one request.
        static func flawless(rounds: Int) -> Outcome { Outcome(rounds: rounds, tokenRequests: rounds) }
    }

    /// Runs the rounds.
    ///
    /// Before the first round, `isReady` runs when all processes have read the session.
    func run(_ isReady: @Sendable () -> Void = {}) async throws -> Outcome {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        let provider = try await LocalProvider.start(options)
        let directory = FileManager.default.temporaryDirectory.appending(path: "processes-\(UUID().uuidString)")
        let keys = directory.appending(path: "keys").path
        let (name, store) = try self.store(in: directory, keys: keys)
        try await Self.signIn(at: provider, store: store)
        let probe = ChildProgram.built("RefreshProbe")
        let processes = try (0..<self.processes).map { _ in try ChildProgram([probe, name, keys]) }
        var outcome = Outcome()
        for process in processes {
            if let line = await process.output.line(), line != "ready" { outcome.failures.append(line) }
        }
        isReady()
        for round in 1...self.rounds {
            let before = provider.refreshRequestCount
            for process in processes { process.send("\(round * 4_000)\n") }
            var responses: [String] = []
            for process in processes { responses.append(await process.output.line() ?? "ended") }
            outcome.rounds += 1
            let requests = provider.refreshRequestCount - before
            outcome.tokenRequests += requests
            outcome.invalidGrants += responses.count { $0.contains("invalid_grant") }
            if requests != 1 || Set(responses).count != 1 || !responses[0].hasPrefix("token ") {
                outcome.failures.append("round \(round): \(requests) requests, \(responses)")
            }
            // A lost session fails all later rounds.
            if outcome.failures.count > 5 { break }
        }
        for process in processes {
            process.closeInput()
            _ = await process.exitStatus
        }
        await provider.stop()
        try FileManager.default.removeItem(at: directory)
        return outcome
    }

    /// Returns the store, and its name for a probe.
    func store(in directory: URL, keys: String) throws -> (name: String, any SessionStore) {
        switch self.kind {
        #if SQLite
        case "sqlite":
            let path = directory.appending(path: "sessions.sqlite").path
            return ("sqlite:\(path)", SQLiteStore(path: path, keyDirectory: keys))
        #endif
        #if PostgreSQL
        case "postgresql":
            let address = self.server?.url ?? ""
            return (address, try PostgreSQLStore(Secret(address), keyDirectory: keys))
        #endif
        default:
            let path = directory.appending(path: "sessions").path
            return ("file:\(path)", EncryptedFileStore(directory: path, keyDirectory: keys))
        }
    }

    /// Signs a user in at the provider.
    @discardableResult
    static func signIn(
        at provider: LocalProvider,
        store: any SessionStore,
        scopes: [Scope] = [.openID, .email]
    ) async throws -> OAuthSession {
        let transport = TestTransport.make()
        let client = OAuthClient(clientID: provider.clientID, clientSecret: Secret(provider.clientSecret))
        let signIn = SignIn(
            try .issuer(provider.issuer, client: client, insecure: .loopbackHTTP),
            transport: transport,
            store: store,
            userAgent: WalkingUserAgent(walk: ConsentWalk(transport: transport))
        )
        return try await signIn.signIn(scopes: scopes)
    }
}
#endif

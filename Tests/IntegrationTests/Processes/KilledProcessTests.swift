// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite && PostgreSQL
internal import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraPostgreSQL
internal import TesseraSQLite
internal import TesseraStores
internal import TesseraTesting
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite("Killed processes")
struct KilledProcessTests {
    private static let probe = ChildProgram.built("StoreProbe")

    /// A store, and its name for the probe.
    private struct Location {
        let store: any SessionStore
        let name: String
        let keys: String
        /// Whether a killed process holds the account's lease for a while, so that each round needs another account.
        let hasLeases: Bool

        func account(_ round: Int) -> Account {
            let subject = self.hasLeases ? "ada-\(round)" : "ada"
            return Account(issuer: "https://accounts.example", clientID: "client", subject: subject)
        }

        /// Loads the record.
        ///
        /// If the lock ends with its process, an update first completes the interrupted one.
        func record(_ account: Account) async throws -> SessionRecord? {
            if self.hasLeases { return try await self.store.load(account) }
            return try await self.store.update(account) { try await $0.load() }
        }
    }

    @Test(
        "A process killed at a random moment leaves the last record or the previous one",
        .covers(115),
        arguments: ["sqlite", "postgresql"]
    )
    func killed(kind: String) async throws {
        var last: Int64 = 0
        var hasSaved = false
        try await Self.killRepeatedly("churn", kind) { location, line, record in
            let before = location.hasLeases ? 0 : last
            let saved = line.flatMap { $0.hasPrefix("saved: ") ? Int64($0.dropFirst(7)) : nil } ?? before
            #expect([saved, saved + 1].contains(record?.generation ?? 0), "\(line ?? "nothing")")
            last = record?.generation ?? before
            hasSaved = hasSaved || record != nil
        }
        #expect(hasSaved)
    }

    @Test(
        "A process killed during a sign-in or sign-out leaves the state before or after it",
        .covers(115),
        arguments: ["file", "sqlite", "postgresql"]
    )
    func signingOut(kind: String) async throws {
        var seen: Set<Bool> = []
        try await Self.killRepeatedly("comings", kind) { _, line, record in
            // "in: N" or "out: N" is the last completed operation. The next one may have been in progress.
            guard let line, let number = line.split(separator: " ").last.flatMap({ Int64($0) }) else { return }
            let next = line.hasPrefix("in: ") ? number : number + 1
            #expect(record == nil || record?.generation == next, "\(line)")
            seen.insert(record != nil)
        }
        #expect(seen == [true, false])
    }

    /// Repeatedly starts the probe, kills it at a random moment, and checks its last line and the stored record.
    private static func killRepeatedly(
        _ verb: String,
        _ kind: String,
        _ check: (_ location: Location, _ line: String?, _ record: SessionRecord?) throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/killed-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (directory, keys) = (folder + "/store", folder + "/keys")
        switch kind {
        case "sqlite":
            let store = SQLiteStore(path: directory + "/sessions.sqlite", keyDirectory: keys)
            let location = Location(store: store, name: "sqlite:" + directory, keys: keys, hasLeases: false)
            try await Self.killRepeatedly(verb, location, check)
        case "postgresql":
            try await PostgreSQLInstance.with { server in
                let store = try PostgreSQLStore(Secret(server.url), keyDirectory: keys)
                try await Self.killRepeatedly(
                    verb,
                    Location(store: store, name: server.url, keys: keys, hasLeases: true),
                    check
                )
            }
        default:
            let store = EncryptedFileStore(directory: directory, keyDirectory: keys)
            try await Self.killRepeatedly(
                verb,
                Location(store: store, name: directory, keys: keys, hasLeases: false),
                check
            )
        }
    }

    private static func killRepeatedly(
        _ verb: String,
        _ location: Location,
        _ check: (_ location: Location, _ line: String?, _ record: SessionRecord?) throws -> Void
    ) async throws {
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed)
        for round in 0..<Repetitions.count("TESSERA_KILLS", default: 25) {
            let child = try ChildProgram([Self.probe, verb, location.name, location.keys, "\(round)"])
            // On a busy machine, the program may not have begun yet. In every other round, it has.
            let first = round.isMultiple(of: 2) ? nil : await child.output.line { _ in true }
            let bytes = random.next(2)
            try await Task.sleep(for: .microseconds((Int(bytes[0]) << 8 | Int(bytes[1])) * 4))
            await child.kill()
            let last = await child.output.lines().last ?? first
            let account = location.account(round)
            var record = try await location.record(account)
            record?.refreshMark = nil
            if let record {
                let whole = try SessionRecord.sample(for: account, generation: record.generation, size: 8192)
                #expect(record == whole, "round \(round), seed \(seed)")
            }
            try check(location, last, record)
        }
    }
}
#endif

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

@Suite("A process that is killed")
struct KilledProcessTests {
    private static let probe = ChildProgram.built("StoreProbe")

    /// A store, as this process and as the probe name it.
    private struct Place {
        let store: any SessionStore
        let name: String
        let keys: String
        /// Whether a process that was killed keeps others from its account for a while; then each round has its own.
        let hasLeases: Bool

        func account(_ round: Int) -> Account {
            let subject = self.hasLeases ? "ada-\(round)" : "ada"
            return Account(issuer: "https://accounts.example", clientID: "client", subject: subject)
        }

        /// The record; where a lock goes with its process, whoever comes next ends what was begun.
        func record(_ account: Account) async throws -> SessionRecord? {
            if self.hasLeases { return try await self.store.load(account) }
            return try await self.store.update(account) { try await $0.load() }
        }
    }

    @Test(
        "Killed at random moments, it leaves the last record or the one before it",
        .covers(115),
        arguments: ["sqlite", "postgresql"]
    )
    func killed(kind: String) async throws {
        var last: Int64 = 0
        var hasSaved = false
        try await Self.play("churn", kind) { place, line, record in
            let before = place.hasLeases ? 0 : last
            let saved = line.flatMap { $0.hasPrefix("saved: ") ? Int64($0.dropFirst(7)) : nil } ?? before
            #expect([saved, saved + 1].contains(record?.generation ?? 0), "\(line ?? "nothing")")
            last = record?.generation ?? before
            hasSaved = hasSaved || record != nil
        }
        #expect(hasSaved)
    }

    @Test(
        "Killed in the middle of a sign-in or a sign-out, it leaves the session as it was before or after",
        .covers(115),
        arguments: ["file", "sqlite", "postgresql"]
    )
    func signingOut(kind: String) async throws {
        var seen: Set<Bool> = []
        try await Self.play("comings", kind) { _, line, record in
            // «in: N» or «out: N» is the last thing that was done; the other may have been under way.
            guard let line, let number = line.split(separator: " ").last.flatMap({ Int64($0) }) else { return }
            let next = line.hasPrefix("in: ") ? number : number + 1
            #expect(record == nil || record?.generation == next, "\(line)")
            seen.insert(record != nil)
        }
        #expect(seen == [true, false])
    }

    /// Lets the probe do what `verb` says, kills it at a random moment, and shows the last line that it said and what is
    /// there; again and again.
    private static func play(
        _ verb: String,
        _ kind: String,
        _ judge: (_ place: Place, _ line: String?, _ record: SessionRecord?) throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/killed-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (directory, keys) = (folder + "/store", folder + "/keys")
        switch kind {
        case "sqlite":
            let store = SQLiteStore(path: directory + "/sessions.sqlite", keyDirectory: keys)
            let place = Place(store: store, name: "sqlite:" + directory, keys: keys, hasLeases: false)
            try await Self.play(verb, place, judge)
        case "postgresql":
            try await PostgreSQLInstance.with { server in
                let store = try PostgreSQLStore(Secret(server.url), keyDirectory: keys)
                try await Self.play(verb, Place(store: store, name: server.url, keys: keys, hasLeases: true), judge)
            }
        default:
            let store = EncryptedFileStore(directory: directory, keyDirectory: keys)
            try await Self.play(verb, Place(store: store, name: directory, keys: keys, hasLeases: false), judge)
        }
    }

    private static func play(
        _ verb: String,
        _ place: Place,
        _ judge: (_ place: Place, _ line: String?, _ record: SessionRecord?) throws -> Void
    ) async throws {
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed)
        for round in 0..<Repetitions.count("TESSERA_KILLS", default: 25) {
            let child = try ChildProgram([Self.probe, verb, place.name, place.keys, "\(round)"])
            let bytes = random.next(2)
            try await Task.sleep(for: .microseconds((Int(bytes[0]) << 8 | Int(bytes[1])) * 4))
            await child.kill()
            let lines = await child.output.lines()
            let account = place.account(round)
            var record = try await place.record(account)
            record?.refreshMark = nil
            if let record {
                let whole = try SessionRecord.sample(for: account, generation: record.generation, size: 8192)
                #expect(record == whole, "round \(round), seed \(seed)")
            }
            try judge(place, lines.last, record)
        }
    }
}
#endif

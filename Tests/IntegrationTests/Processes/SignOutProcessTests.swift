// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite && PostgreSQL
internal import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraPostgreSQL
internal import TesseraSQLite
internal import TesseraTesting
internal import Testing

@Suite("A process that signs in and out, and is killed")
struct SignOutProcessTests {
    private static let probe = Bundle.main.bundleURL.appending(path: "StoreProbe").path

    /// A store, as this process and as the probe name it.
    private struct Place {
        let store: any SessionStore
        let name: String
        let keys: String
        /// Whether a process that was killed keeps others from its account for a while.
        let hasLeases: Bool
    }

    @Test(
        "Killed in the middle of a sign-in or a sign-out, it leaves the session as it was before or after (115)",
        arguments: ["file", "sqlite", "postgresql"]
    )
    func killed(kind: String) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/killed-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (directory, keys) = (folder + "/store", folder + "/keys")
        switch kind {
        case "sqlite":
            let store = SQLiteStore(path: directory + "/sessions.sqlite", keyDirectory: keys)
            try await Self.play(Place(store: store, name: "sqlite:" + directory, keys: keys, hasLeases: false))
        case "postgresql":
            try await PostgreSQLInstance.with { server in
                let store = try PostgreSQLStore(Secret(server.url), keyDirectory: keys)
                try await Self.play(Place(store: store, name: server.url, keys: keys, hasLeases: true))
            }
        default:
            let store = EncryptedFileStore(directory: directory, keyDirectory: keys)
            try await Self.play(Place(store: store, name: directory, keys: keys, hasLeases: false))
        }
    }

    private static func play(_ place: Place) async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed of the random kills: \(seed)")
        let random = SeededRandomBytes(seed: seed)
        var seen: Set<Bool> = []
        for round in 0..<Repetitions.count("TESSERA_KILLS", usually: 25) {
            let child = try ChildProcess(Self.probe, ["comings", place.name, place.keys, "\(round)"])
            let bytes = random.next(2)
            try await Task.sleep(for: .microseconds((Int(bytes[0]) << 8 | Int(bytes[1])) * 3))
            kill(child.processID, SIGKILL)
            let lines = String(decoding: await child.finish().output, as: UTF8.self).split(separator: "\n")
            let subject = place.hasLeases ? "ada-\(round)" : "ada"
            let ada = Account(issuer: "https://accounts.example", clientID: "client", subject: subject)
            // Where a lock goes with its process, whoever comes next ends what was begun.
            let load: SessionRecord? =
                place.hasLeases
                ? try await place.store.load(ada) : try await place.store.update(ada) { try await $0.load() }
            let isThere = load != nil
            // «in: N» or «out: N» is the last thing that was done; the other may have been under way.
            guard let last = lines.last else { continue }
            let number = last.split(separator: " ").last.flatMap { Int64($0) } ?? -1
            if last.hasPrefix("in: ") {
                #expect(load == nil || load?.generation == number, "\(last), round \(round), seed \(seed)")
            } else {
                #expect(last.hasPrefix("out: "), "\(last)")
                #expect(load == nil || load?.generation == number + 1, "\(last), round \(round), seed \(seed)")
            }
            if var record = load {
                record.refreshMark = nil
                let whole = try SessionRecord.sample(for: ada, generation: record.generation, size: 8192)
                #expect(record == whole, "round \(round), seed \(seed)")
            }
            seen.insert(isThere)
        }
        #expect(seen == [true, false])
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import Foundation
internal import Tessera
internal import TesseraSQLite
internal import TesseraTesting
internal import TestTraits
internal import Testing
internal import TestPrograms

@Suite("SQLite stores shared by several processes")
struct SQLiteProcessTests {
    private static let ada = Account(issuer: "https://accounts.example", clientID: "client", subject: "ada")
    private static let probe = ChildProgram.built("StoreProbe")
    private let folder = FileManager.default.temporaryDirectory.path + "/sqlite-processes-" + UUID().uuidString

    private var store: SQLiteStore {
        SQLiteStore(path: self.folder + "/store/sessions.sqlite", keyDirectory: self.folder + "/keys")
    }

    private func start(_ verb: String, _ count: Int = 1) throws -> ChildProgram {
        try ChildProgram([Self.probe, verb, "sqlite:" + self.folder + "/store", self.folder + "/keys", "\(count)"])
    }

    private func remove() { try? FileManager.default.removeItem(atPath: self.folder) }

    /// Runs a script that may mount file systems and returns the lines of its output.
    ///
    /// `$1` is the directory of the store, `$2` the probe and `$3` the key directory.
    private func mounting(_ script: String) async throws -> [String] {
        let command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
        let arguments = [self.folder + "/store", Self.probe, self.folder + "/keys"]
        let (output, status) = try await ChildProgram.run(command + arguments)
        guard status == 0 else {
            try Test.cancel("this machine does not permit mounts")
        }
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("Loses no update among five processes that share a SQLite store", .covers(116))
    func increments() async throws {
        defer { self.remove() }
        let probes = try (0..<4).map { _ in try self.start("increment", 25) }
        for _ in 0..<25 {
            try await self.store.update(Self.ada) { entry in
                let generation = try await entry.load()?.generation ?? 0
                try await entry.save(try .sample(for: Self.ada, generation: generation + 1))
            }
        }
        for probe in probes { _ = await probe.finish() }
        #expect(try await self.store.load(Self.ada)?.generation == 125)
    }

    @Test("Releases the lock of a SQLite store when its process is killed", .covers(116))
    func holder() async throws {
        defer { self.remove() }
        let probe = try self.start("hold")
        #expect(await probe.output.line() == "held")
        let clock = TestClock()
        let path = self.folder + "/store/sessions.sqlite"
        let store = SQLiteStore(path: path, keyDirectory: self.folder + "/keys", clock: clock)
        let refused = Task { try await store.update(Self.ada) { _ in } }
        await clock.sleeperCount(reaches: 1)
        clock.advance(by: .seconds(60))
        await #expect(throws: StoreError(.busy, location: path + ".lock")) { try await refused.value }
        await probe.kill()
        let later = SQLiteStore(path: path, keyDirectory: self.folder + "/keys", lockTimeout: .seconds(1))
        #expect(try await later.update(Self.ada) { _ in 42 } == 42)
    }

    @Test(
        "Reports permissionDenied on a read-only file system and preserves the records",
        .covers(115)
    )
    func readOnly() async throws {
        defer { self.remove() }
        try await self.store.update(Self.ada) { try await $0.save(try .sample(for: Self.ada, generation: 5)) }
        let script = """
            mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" all "sqlite:$1" "$3"
            """
        let lines = try await self.mounting(script)
        #expect(
            lines.map { $0.split(separator: ":")[0] + ":" + ($0.contains("permissionDenied") ? " denied" : " " + $0) }
                == ["load: denied", "list: denied", "probe: denied", "save: denied"]
        )
        #expect(try await self.store.load(Self.ada)?.generation == 5)
    }

    @Test("A full disk rejects the refresh mark, but a save uses the reserved space", .covers(115))
    func full() async throws {
        defer { self.remove() }
        try FileManager.default.createDirectory(atPath: self.folder + "/store", withIntermediateDirectories: true)
        let lines = try await self.mounting(
            "mount -t tmpfs -o size=4m,mode=0700 none \"$1\" && exec \"$2\" full \"sqlite:$1\" \"$3\""
        )
        #expect(
            lines.map { $0.prefix { $0 != "(" } } == [
                "save: 1", "probe on a full disk: full 28", "save on a full disk: 2",
                "mark on a full disk: full 28", "load: 2", "mark: ok", "save of more than was reserved: 3", "load: 3",
                "save of what was reserved: 4", "load: 4",
            ]
        )
    }

    /// Returns the output of a program that starts after another one has filled the disk.
    ///
    /// The index of the write-ahead log is missing, as after a regular close, and cannot be created.
    private func filled(_ before: String = "true") async throws -> [String] {
        defer { self.remove() }
        try FileManager.default.createDirectory(atPath: self.folder + "/store", withIntermediateDirectories: true)
        return try await self.mounting(
            """
            mount -t tmpfs -o size=4m,mode=0700 none "$1" && "$2" increment "sqlite:$1" "$3" >&2 \
                && rm "$1"/sessions.sqlite-shm && \(before) && "$2" fill "sqlite:$1" "$3" && "$2" filled "sqlite:$1" "$3"
            """
        )
    }

    @Test(
        "Reads and removes sessions on a full disk, and reports the full disk on a save",
        .covers(144)
    )
    func filledDisk() async throws {
        #expect(
            try await self.filled() == [
                "load: 1", "list: 1",
                "save of too much: full 28 SQLite: database or disk is full: No space left on device",
                "load: 1", "remove: ok", "load: 0",
            ]
        )
    }

    @Test("Reads sessions on a full disk even without reserved space", .covers(144))
    func unreserved() async throws {
        let message = "SQLite: database or disk is full: No space left on device"
        let lines = try await self.filled("rm \"$1\"/sessions.sqlite.reserve")
        #expect(lines.prefix(4) == ["load: 1", "list: 1", "save of too much: full 28 \(message)", "load: 1"])
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import Foundation
internal import Tessera
internal import TesseraStores
internal import Testing
internal import TestPrograms

@Suite("Processes in an iOS app container")
struct AppContainerTests {
    /// An app container with `Documents`, `Library` and `tmp`, and without Application Support.
    private final class Container {
        let home = FileManager.default.temporaryDirectory.appending(path: "container-\(UUID().uuidString)")

        init() throws {
            for name in ["Documents", "Library", "tmp"] {
                try FileManager.default.createDirectory(
                    at: self.home.appending(path: name),
                    withIntermediateDirectories: true
                )
            }
        }

        deinit { try? FileManager.default.removeItem(at: self.home) }

        func probe(_ arguments: String...) throws -> ChildProgram {
            let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("XDG_") }
            return try ChildProgram(
                [ChildProgram.built("AppContainerProbe")] + arguments,
                environment: environment.merging(["HOME": self.home.path, "TESSERA_APP_CONTAINER": "1"]) { $1 }
            )
        }

        /// Expects a process that was stopped and continued to have a session and a token.
        func expectSurvival(of probe: ChildProgram) async throws {
            let (output, status) = await probe.finish()
            let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
            #expect(lines.last?.hasPrefix("alive after ") == true, "\(lines)")
            #expect(status == 0)
        }

        func output(_ arguments: String) async throws -> [String] {
            let (output, _) = await (try self.probe(arguments)).finish()
            return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    @Test("Cannot create hard links or files in the container's root")
    func refused() async throws {
        #expect(try await Container().output("refused") == ["link refused", "mkdir refused", "open refused"])
    }

    @Test("Stores, a session and the façades work in Application Support without a denied operation")
    func stores() async throws {
        let container = try Container()
        let lines = try await container.output("stores")
        #expect(lines.dropFirst() == ["probes", "session", "facade", "google sign-in", "refusals 0"])
        let entries = try FileManager.default.contentsOfDirectory(atPath: container.home.path)
        #expect(entries.sorted() == ["Documents", "Library", "tmp"])
        let support = container.home.appending(path: "Library/Application Support/tessera")
        let names = try FileManager.default.contentsOfDirectory(atPath: support.path)
        #expect(names.sorted() == ["items", "keys", "locks", "sessions"])
    }

    @Test(
        "Survives a suspension at any step of a refresh until the token has expired",
        .timeLimit(.minutes(1)),
        arguments: ["update", "load", "mark", "marked", "sent", "received", "save", "saved", "released"],
        ["file", "keychain"]
    )
    func stopped(step: String, store: String) async throws {
        let container = try Container()
        let probe = try container.probe("refresh", step, store)
        #expect(await probe.output.line() == "at \(step)")
        await probe.stopped()
        probe.resume()
        try await container.expectSurvival(of: probe)
    }

    @Test(
        "Keeps the refresh mark when a request loses its connection during hours of suspension",
        .timeLimit(.minutes(1)),
        arguments: ["lost", "expired-lost"],
        ["file", "keychain"]
    )
    func lost(step: String, store: String) async throws {
        let container = try Container()
        let probe = try container.probe("refresh", step, store)
        #expect(await probe.output.line() == "at \(step)")
        await probe.stopped()
        probe.resume()
        #expect(await probe.output.line()?.hasPrefix("at first: ") == true)
        #expect(await probe.output.line() == "mark kept")
        try await container.expectSurvival(of: probe)
    }

    @Test(
        "Releases the lock when the activity expires and saves a response that arrives later",
        .timeLimit(.minutes(1)),
        arguments: ["expired", "keys"]
    )
    func expired(step: String) async throws {
        let container = try Container()
        let probe = try container.probe("refresh", step, "file")
        #expect(await probe.output.line() == "at \(step)")
        await probe.stopped()
        let support = container.home.appending(path: "Library/Application Support/tessera").path
        let store = EncryptedFileStore(
            directory: support + "/sessions",
            keyDirectory: support + "/keys",
            lockTimeout: .zero
        )
        let account = try #require(try await store.list().first)
        let record = try await store.update(account) { try await $0.load() }
        // The response arrived before the keys were fetched, so its tokens are saved.
        #expect((record?.refreshMark != nil) == (step == "expired"))
        #expect(record?.generation == (step == "expired" ? 1 : 2))
        probe.resume()
        try await container.expectSurvival(of: probe)
    }
}
#endif

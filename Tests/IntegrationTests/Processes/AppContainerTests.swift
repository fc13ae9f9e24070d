// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import Foundation
internal import Tessera
internal import TesseraStores
internal import Testing
internal import TestPrograms

@Suite("A process in the environment of an iOS app")
struct AppContainerTests {
    /// A container: its root has `Documents`, `Library` and `tmp`, and Application Support is missing.
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

        /// Checks that a stopped process has a session and a token after it was continued.
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

    @Test("Is refused hard links and new names in the container's root")
    func refused() async throws {
        #expect(try await Container().output("refused") == ["link refused", "mkdir refused", "open refused"])
    }

    @Test("Stores, a session and the façades work in Application Support, which is created, and nothing is refused")
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
        "Survives being stopped at any step of a refresh and continued after the token has expired",
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
        "Survives hours in suspension in the middle of a request whose connection is lost, and keeps the mark",
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
        "Is stopped without its lock when the activity expires first, and saves the response that comes later",
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
        // The response had come before the keys were fetched, and its tokens are saved.
        #expect((record?.refreshMark != nil) == (step == "expired"))
        #expect(record?.generation == (step == "expired" ? 1 : 2))
        probe.resume()
        try await container.expectSurvival(of: probe)
    }
}
#endif

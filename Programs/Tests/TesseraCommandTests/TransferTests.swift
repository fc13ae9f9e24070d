// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Synchronization
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TestPrograms

@Suite("Uploads and downloads of tessera fetch")
struct TransferTests {
    private static let scope = "https://www.googleapis.com/auth/drive"
    static let content = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    /// Runs `body` with a signed-in user with write access, a file, and the URL of resumable uploads.
    static func play(_ body: (_ scene: Scene, _ file: String, _ uploads: String) async throws -> Void)
        async throws
    {
        try await Scene.play { scene in
            try await scene.login("--scope", Self.scope)
            let file = scene.home + "/film.bin"
            try Data(Self.content).write(to: URL(filePath: file))
            try await body(scene, file, scene.provider.baseURL + "/upload/drive/v3/files")
        }
    }

    /// Downloads a file from Drive and returns its contents.
    static func download(_ scene: Scene, _ id: String) async throws -> [UInt8] {
        let path = scene.home + "/fetched-" + UUID().uuidString
        let output = try await scene.run("fetch", "-o", path, "\(scene.drive)/files/\(id)?alt=media")
        #expect(output.status == 0, "\(output.errors)")
        return Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// Blocks the upload request with the given number until the provider stops.
    ///
    /// - Returns: A stream that finishes when the request arrives.
    static func holding(
        _ number: Int,
        of scene: Scene,
        after faults: [LocalProviderOptions.DriveFault]
    ) -> AsyncStream<Void> {
        let (reached, reach) = AsyncStream<Void>.makeStream()
        let (never, end) = AsyncStream<Void>.makeStream()
        let counter = CallCounter()
        scene.provider.change { behavior in
            behavior.driveFaults = faults
            behavior.beforeResponse = { path in
                guard path.hasPrefix("/upload/"), counter.next() == number else { return }
                reach.finish()
                for await _ in never {}
                withExtendedLifetime(end) {}
            }
        }
        return reached
    }

    /// Returns the names of the saved states of unfinished uploads.
    static func savedUploads(_ scene: Scene) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: scene.home + "/data/tessera/uploads")) ?? []
    }

    @Test("--upload sends a file in chunks and prints the response")
    func upload() async throws {
        try await Self.play { scene, file, uploads in
            let output = try await scene.run("fetch", "--upload", file, "-d", #"{"name":"film.bin"}"#, uploads)
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.errors.isEmpty)
            let id = try #require(try JSONValue(parsing: output.bytes)["id"]?.string)
            #expect(try await Self.download(scene, id) == Self.content)
            #expect(Self.savedUploads(scene) == [])
        }
    }

    @Test("Continues a killed upload with --resume and then removes its saved state")
    func killed() async throws {
        try await Self.play { scene, file, uploads in
            // Block the request that queries the number of received bytes after the interruption.
            let reached = Self.holding(3, of: scene, after: [.none, .broken(1_000_000), .none])
            let words = ["fetch", "--upload", file, "--resume", "-d", #"{"name":"film.bin"}"#, uploads]
            let child = try scene.start(words)
            for await _ in reached {}
            await child.kill()
            let names = Self.savedUploads(scene)
            #expect(names.count == 1)
            let path = scene.home + "/data/tessera/uploads/" + (names.first ?? "")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)

            scene.provider.change { $0.beforeResponse = nil }
            let output = try await scene.run(words)
            #expect(output.status == 0, "\(output.errors)")
            let id = try #require(try JSONValue(parsing: output.bytes)["id"]?.string)
            #expect(try await Self.download(scene, id) == Self.content)
            #expect(Self.savedUploads(scene) == [])
        }
    }

    @Test("Reports how to continue an upload after Ctrl-C", .covers(46))
    func interrupted() async throws {
        try await Self.play { scene, file, uploads in
            let reached = Self.holding(4, of: scene, after: [.none, .broken(1_048_576), .none])
            let child = try scene.start(["fetch", "--upload", file, "-d", #"{"name":"film.bin"}"#, uploads])
            for await _ in reached {}
            child.interrupt()
            var line = "nothing"
            // On a slow machine, progress lines precede the message.
            repeat { line = await child.errors.line() ?? "nothing" } while line.contains(" % of 2.0 MB, ")
            // The number of bytes sent by then depends on timing.
            let message =
                /tessera: Interrupted with [12]\.\d MB of 2\.0 MB sent\. Run the same command with --resume to continue\./
            #expect(line.wholeMatch(of: message) != nil, "\(line)")
            #expect(await child.finish().status == 130)
            #expect(Self.savedUploads(scene).count == 1)
        }
    }

    @Test("Reports the progress of an upload after a temporary failure")
    func unavailable() async throws {
        try await Self.play { scene, file, uploads in
            scene.provider.change { $0.driveFaults = [.none, .partial(1_048_576), .status(503)] }
            let words = ["fetch", "--upload", file, "-d", #"{"name":"film.bin"}"#, uploads]
            let stopped = try await scene.run(words + ["--retry-deadline", "0"])
            #expect(stopped.status == 5, "\(stopped.errors)")
            #expect(stopped.errors.contains("503"), "\(stopped.errors)")
            #expect(stopped.errors.contains("MB of 2.0 MB sent."), "\(stopped.errors)")
            #expect(stopped.errors.contains("Run the same command with --resume to continue."))
            let whole = try await scene.run(words + ["--resume"])
            #expect(whole.status == 0, "\(whole.errors)")
            let id = try #require(try JSONValue(parsing: whole.bytes)["id"]?.string)
            #expect(try await Self.download(scene, id) == Self.content)
        }
    }

    @Test("--resume downloads only the missing part")
    func download() async throws {
        try await Self.play { scene, file, uploads in
            let created = try await scene.run("fetch", "--upload", file, uploads)
            let id = try #require(try JSONValue(parsing: created.bytes)["id"]?.string)
            let path = scene.home + "/copy.bin"
            scene.provider.change { $0.driveFaults = [.truncatedResponse(700_000)] }
            let words = ["fetch", "--resume", "-o", path, "\(scene.drive)/files/\(id)?alt=media"]
            let broken = try await scene.run(words + ["--retry-deadline", "0"])
            #expect(broken.status == 5, "\(broken.errors)")
            #expect(
                broken.errors.contains("0.7 MB of 2.0 MB received") || broken.errors.contains("kB of 2.0 MB received")
            )
            #expect(broken.errors.contains("Run the same command with --resume to continue."))
            #expect(!FileManager.default.fileExists(atPath: path))
            let whole = try await scene.run(words + ["--json"])
            #expect(whole.status == 0, "\(whole.errors)")
            #expect(try whole.json()["status"]?.string == nil)
            #expect(whole.text.contains(#""status":206"#))
            #expect(Array(try Data(contentsOf: URL(filePath: path))) == Self.content)
            #expect(!FileManager.default.fileExists(atPath: path + ".part"))
        }
    }

    @Test("--upload sends one request to other URLs")
    func plain() async throws {
        try await Self.play { scene, file, uploads in
            let output = try await scene.run(
                "fetch",
                "-X",
                "POST",
                "--upload",
                file,
                "--upload-type",
                "text/plain",
                uploads + "?uploadType=media&fields=id,mimeType,size"
            )
            #expect(output.status == 0, "\(output.errors)")
            let response = try JSONValue(parsing: output.bytes)
            #expect(response["mimeType"]?.string == "text/plain")
            #expect(response["size"]?.string == "2000000")
        }
    }

    @Test("Rejects files and URLs that cannot be uploaded or resumed")
    func mistakes() async throws {
        try await Self.play { scene, file, uploads in
            let missing = try await scene.run("fetch", "--upload", file + "x", uploads)
            #expect(missing.status == 2)
            #expect(missing.errors.contains("is not a readable file"))
            let plain = try await scene.run("fetch", "--resume", "--upload", file, "\(scene.drive)/files")
            #expect(plain.status == 2)
            #expect(plain.errors.contains("cannot be resumed"))
            #expect(try await scene.run("fetch", "--resume", "\(scene.drive)/files").status == 2)
            #expect(try await scene.run("fetch", "--resume", "-i", "-o", file, "\(scene.drive)/files").status == 2)
        }
    }
}

/// A thread-safe counter.
private final class CallCounter: Sendable {
    private let count = Mutex(0)

    /// Increments the counter and returns its new value, starting at 1.
    func next() -> Int {
        self.count.withLock { count in
            count += 1
            return count
        }
    }
}

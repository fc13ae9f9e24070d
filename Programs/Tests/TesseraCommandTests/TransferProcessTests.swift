// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraTesting
internal import TestPrograms

/// Tests that kill uploads.
///
/// `TESSERA_TRANSFER_KILLS` and `TESSERA_TRANSFER_BYTES` set the number of kills and the size of the file.
@Suite("Killed uploads of tessera fetch")
struct TransferProcessTests {
    @Test("Completes an upload once after repeated kills", .timeLimit(.minutes(30)))
    func killedAgain() async throws {
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed)
        try await TransferTests.play { scene, file, uploads in
            let size = Repetitions.count("TESSERA_TRANSFER_BYTES", default: 8_000_000)
            let content = Array(
                repeatElement(TransferTests.content, count: size / TransferTests.content.count + 1).joined()
                    .prefix(size)
            )
            try Data(content).write(to: URL(filePath: file))
            let words = ["fetch", "--upload", file, "--resume", "-d", #"{"name":"film.bin"}"#, uploads]
            // The server accepts only a part of each request, so that the upload does not complete early.
            scene.provider.change { $0.driveFaults = Array(repeating: .partial(262_144), count: 1000) }
            let kills = Repetitions.count("TESSERA_TRANSFER_KILLS", default: 6)
            for _ in 0..<kills {
                let child = try scene.start(words)
                let bytes = random.next(2)
                try await Task.sleep(for: .microseconds((Int(bytes[0]) << 8 | Int(bytes[1])) * 2))
                await child.kill()
            }
            scene.provider.change { $0.driveFaults = [] }
            let output = try await scene.run(words)
            #expect(output.status == 0, "\(output.errors), seed \(seed)")
            let id = try #require(try JSONValue(parsing: output.bytes)["id"]?.string)
            #expect(try await TransferTests.download(scene, id) == content, "seed \(seed)")
            let list = try await scene.run("fetch", "\(scene.drive)/files?q=name='film.bin'")
            #expect(try JSONValue(parsing: list.bytes)["files"]?.elements?.count { _ in true } == 1, "seed \(seed)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraFetch
internal import TesseraOAuth
internal import Testing

@Suite("Bodies from files and sequences")
struct FileBodyTests {
    private static let content = (0..<1_300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    private static func withFile(_ content: [UInt8], _ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/body-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(content).write(to: URL(filePath: path))
        try await body(path)
    }

    @Test(
        "Reads the length and the bytes of a file body repeatedly",
        arguments: [0, 1, 512 << 10, 1_300_000]
    )
    func replayable(count: Int) async throws {
        let content = Array(Self.content.prefix(count))
        try await Self.withFile(content) { path in
            let body = try await HTTPBody(file: path)
            #expect(body.length == Int64(count))
            #expect(body.isReplayable)
            #expect(try await body.collect(upTo: count) == content)
            var chunks: [UInt8] = []
            for try await chunk in body { chunks += chunk }
            #expect(chunks == content)
        }
    }

    @Test("Fails if a file changes while it is read", arguments: [100, 1_300_000])
    func changed(count: Int) async throws {
        try await Self.withFile(Self.content) { path in
            let body = try await HTTPBody(file: path)
            var chunks = body.makeAsyncIterator()
            _ = try await chunks.next()
            // Writes in place, so that the open file changes.
            try Data(Self.content.prefix(count) + [1]).write(to: URL(filePath: path))
            await #expect(throws: FileError(.changed, path: path)) {
                while try await chunks.next() != nil {}
            }
        }
    }

    @Test("Rejects a missing file or a directory as a body")
    func irregular() async throws {
        let folder = FileManager.default.temporaryDirectory.path
        await #expect(throws: FileError(.notRegular, path: folder)) { try await HTTPBody(file: folder) }
        await #expect(throws: FileError.self) { try await HTTPBody(file: folder + "/missing-" + UUID().uuidString) }
    }

    @Test("Reads a sequence body once, without empty chunks")
    func sequence() async throws {
        let (chunks, more) = AsyncStream<[UInt8]>.makeStream()
        for chunk in [[1, 2], [], [3]] as [[UInt8]] { more.yield(chunk) }
        more.finish()
        let body = HTTPBody(chunks)
        #expect(!body.isReplayable)
        #expect(body.length == nil)
        var received: [[UInt8]] = []
        for try await chunk in body { received.append(chunk) }
        #expect(received == [[1, 2], [3]])
    }
}

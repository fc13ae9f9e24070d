// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth
@testable internal import TesseraURLSession
internal import Testing

@Suite("Temporary files of streamed request bodies")
struct UploadFileInternalTests {
    private struct BodyError: Error {}

    private static func body(_ chunks: [[UInt8]], failing: Bool = false) -> HTTPBody {
        HTTPBody(length: nil, isReplayable: true) {
            var rest = chunks[...]
            return {
                if let chunk = rest.popFirst() { return chunk }
                if failing { throw BodyError() }
                return nil
            }
        }
    }

    @Test("Contains the whole body, and is readable only by the user")
    func contents() async throws {
        let file = try #require(try await UploadFile(Self.body([[1, 2], [], [3]])))
        defer { file.remove() }
        #expect(try Data(contentsOf: file.url) == Data([1, 2, 3]))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.url.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test("Is removed after the upload")
    func removal() async throws {
        let file = try #require(try await UploadFile(Self.body([[1]])))
        file.remove()
        // Files are written and removed in order, so the next one is written after the removal.
        let next = try #require(try await UploadFile(Self.body([[1]])))
        #expect(!FileManager.default.fileExists(atPath: file.url.path))
        next.remove()
    }

    @Test("Is removed when the body fails, and the body's error is rethrown")
    func failingBody() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tessera-test-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        await #expect(throws: BodyError.self) {
            try await UploadFile(Self.body([[1]], failing: true), in: directory)
        }
        // Written after the removal.
        let next = try #require(try await UploadFile(Self.body([[1]]), in: directory))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names == [next.url.lastPathComponent])
    }

    @Test("Is not needed for a body made of bytes or for no body")
    func bytes() async throws {
        #expect(try await UploadFile(nil) == nil)
        #expect(try await UploadFile(HTTPBody([1, 2, 3])) == nil)
    }
}

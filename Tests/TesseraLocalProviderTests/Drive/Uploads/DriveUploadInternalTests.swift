// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraSupport
@testable internal import TesseraLocalProvider

@Suite("Uploads to the local Drive")
struct DriveUploadInternalTests {
    static let granule = UploadUnderTest.granule
    static let goog = ["X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"]

    static func drive(onDisk: Bool) throws -> (DriveUnderTest, TemporaryDirectory?) {
        let directory = onDisk ? try TemporaryDirectory() : nil
        return (try DriveUnderTest(directory: directory), directory)
    }

    @Test("Completes a chunked upload and repeats the metadata on later requests", arguments: [true, false])
    func chunks(onDisk: Bool) async throws {
        let (drive, directory) = try Self.drive(onDisk: onDisk)
        let upload = try await UploadUnderTest(drive, ["X-Upload-Content-Type": "image/png"])
        let bytes = UploadUnderTest.bytes(Self.granule * 2 + 5)
        let total = bytes.count
        #expect(await upload.put("bytes */*").headers[.range] == nil)
        let first = await upload.put("bytes 0-\(Self.granule - 1)/*", Array(bytes.prefix(Self.granule)))
        #expect(first.status.code == 308)
        #expect(first.headers[.range] == "bytes=0-\(Self.granule - 1)")
        #expect(await upload.put("bytes */\(total)").headers[.range] == "bytes=0-\(Self.granule - 1)")
        #expect(try await drive.names().contains("Big.bin") == false)
        let rest = Array(bytes.dropFirst(Self.granule))
        let last = await upload.put("bytes \(Self.granule)-\(total - 1)/\(total)", rest)
        #expect(last.status == .ok)
        let file = try last.json
        #expect(file["name"]?.string == "Big.bin")
        #expect(file["mimeType"]?.string == "image/png")
        #expect(file["size"]?.string == String(total))
        let id = try #require(file["id"]?.string)
        #expect(try await drive.get("/drive/v3/files/\(id)?alt=media").wholeContent == bytes)
        for range in ["bytes */\(total)", "bytes */*", "bytes \(Self.granule)-\(total - 1)/\(total)"] {
            let again = await upload.put(range, range.contains("-") ? rest : [])
            #expect(again.status == .ok)
            #expect(again.bytes == last.bytes)
        }
        #expect(try directory?.allNames.filter { $0.hasPrefix(DriveDirectory.temporaryPrefix) } ?? [] == [])
    }

    @Test("Requires a token to start an upload session but not to continue it")
    func permission() async throws {
        var drive = try DriveUnderTest(scope: ProviderUnderTest.driveReadonly)
        let path = "/upload/drive/v3/files?uploadType=resumable"
        #expect(await drive.send(.post, path).reason == "insufficientPermissions")
        drive.token = ""
        #expect(await drive.send(.post, path).status == .unauthorized)
        #expect(await drive.send(.put, path + "&upload_id=unknown").status == .notFound)
    }

    @Test("Applies the field mask of the start request to the final response")
    func fields() async throws {
        let upload = try await UploadUnderTest(try DriveUnderTest(), query: "uploadType=resumable&fields=name")
        #expect(try await upload.put(nil, [1]).json.text.filter { !$0.isWhitespace } == #"{"name":"Big.bin"}"#)
    }

    @Test("Treats a body without Content-Range as the whole file", arguments: [0, 5, 300_000])
    func whole(count: Int) async throws {
        let upload = try await UploadUnderTest(try DriveUnderTest())
        #expect(try await upload.put(nil, UploadUnderTest.bytes(count)).json["size"]?.string == String(count))
    }

    @Test("Completes an upload of unknown length when a query names its size")
    func unknownLength() async throws {
        let upload = try await UploadUnderTest(try DriveUnderTest())
        let chunk = UploadUnderTest.bytes(Self.granule)
        #expect(await upload.put("bytes 0-\(Self.granule - 1)/*", chunk).status.code == 308)
        #expect(await upload.put("bytes */*").status.code == 308)
        let end = await upload.put("bytes */\(Self.granule)")
        #expect(try end.json["size"]?.string == String(Self.granule))
        let empty = try await UploadUnderTest(try DriveUnderTest())
        #expect(try await empty.put("bytes */0").json["size"]?.string == "0")
    }

    static let refusals = [
        ("bytes 262144-262148/*", 5), ("bytes 0-4/*", 5), ("bytes 0-4/10", 5), ("bytes 524288-524292/524293", 5),
        ("bytes 4-0/5", 5), ("bytes 0-5/5", 6), ("bytes 0-4/5", 6), ("bytes */5", 5), ("bytes x-y/5", 5),
        ("bytes 524288-786431/1000000", 262_144), ("bytes 0-4", 5), ("lines 0-4/5", 5),
        ("bytes 262144-262148/262149", 5),
    ]

    @Test("Rejects a chunk with a gap, an invalid size or a conflict and keeps the progress", arguments: refusals)
    func refusal(range: String, count: Int) async throws {
        let upload = try await UploadUnderTest(try DriveUnderTest(), ["X-Upload-Content-Length": "1000000"])
        let bytes = UploadUnderTest.bytes(Self.granule)
        #expect(await upload.put("bytes 0-\(Self.granule - 1)/1000000", bytes).status.code == 308)
        #expect(await upload.put(range, UploadUnderTest.bytes(count)).status == .badRequest)
        #expect(await upload.put("bytes */*").headers[.range] == "bytes=0-\(Self.granule - 1)")
    }

    @Test("Skips bytes that it has already received")
    func overlap() async throws {
        let drive = try DriveUnderTest()
        let upload = try await UploadUnderTest(drive)
        let bytes = UploadUnderTest.bytes(Self.granule + 7)
        let zeros = [UInt8](repeating: 0, count: Self.granule)
        _ = await upload.put("bytes 0-\(Self.granule - 1)/*", Array(bytes.prefix(Self.granule)))
        let again = await upload.put("bytes 0-\(Self.granule - 1)/*", zeros)
        #expect(again.headers[.range] == "bytes=0-\(Self.granule - 1)")
        let end = await upload.put("bytes 0-\(bytes.count - 1)/\(bytes.count)", zeros + bytes.suffix(7))
        let id = try #require(try end.json["id"]?.string)
        #expect(try await drive.get("/drive/v3/files/\(id)?alt=media").wholeContent == bytes)
    }

    @Test("Cancels a session on DELETE with status 499 and removes its data", arguments: [true, false])
    func cancel(onDisk: Bool) async throws {
        let (drive, directory) = try Self.drive(onDisk: onDisk)
        let upload = try await UploadUnderTest(drive)
        _ = await upload.put("bytes 0-\(Self.granule - 1)/*", UploadUnderTest.bytes(Self.granule))
        #expect(await drive.send(.delete, upload.target).status.code == 499)
        #expect(await upload.put("bytes */*").status == .notFound)
        #expect(await drive.send(.delete, upload.target).status == .notFound)
        #expect(try directory?.allNames ?? [] == [])
    }

    @Test("Replaces a file's content with every kind of upload", arguments: [true, false])
    func update(onDisk: Bool) async throws {
        let (drive, directory) = try Self.drive(onDisk: onDisk)
        let made = await drive.upload(#"{"name": "A.txt", "description": "d"}"#, [1])
        let id = try #require(try made.json["id"]?.string)
        let path = "/drive/v3/files/\(id)"
        let media = await drive.send(
            .patch,
            "/upload\(path)?uploadType=media&fields=*",
            ["Content-Type": "text/csv"],
            body: [2, 3]
        )
        #expect(try media.json["id"]?.string == id)
        #expect(try media.json["size"]?.string == "2")
        #expect(try media.json["name"]?.string == "A.txt")
        #expect(try media.json["mimeType"]?.string == "text/csv")
        #expect(try media.json["description"]?.string == "d")
        #expect(try await drive.get(path + "?alt=media").wholeContent == [2, 3])
        let parts = "--b\r\n\r\n{\"name\": \"B.txt\"}\r\n--b\r\n\r\nxyz\r\n--b--\r\n"
        let multipart = await drive.send(
            .patch,
            "/upload\(path)?uploadType=multipart&fields=*",
            ["Content-Type": "multipart/related; boundary=b"],
            body: Array(parts.utf8)
        )
        #expect(try multipart.json["name"]?.string == "B.txt")
        #expect(try multipart.json["size"]?.string == "3")
        let upload = try await UploadUnderTest(drive, id: id, metadata: "")
        #expect(try await upload.put(nil, [7, 8, 9, 10]).json["id"]?.string == id)
        #expect(try await drive.get(path + "?alt=media").wholeContent == [7, 8, 9, 10])
        #expect(try directory?.names ?? ["A.txt"] == ["A.txt"])
        #expect(await drive.send(.patch, "/upload/drive/v3/files/x?uploadType=media").status == .notFound)
        #expect(await drive.send(.patch, "/upload/drive/v3/files/x?uploadType=resumable").status == .notFound)
    }

    @Test("Deletes a file", arguments: [true, false])
    func delete(onDisk: Bool) async throws {
        let (drive, directory) = try Self.drive(onDisk: onDisk)
        let id = try #require(try await drive.upload(#"{"name": "A.txt"}"#, [1]).json["id"]?.string)
        #expect(await drive.send(.delete, "/drive/v3/files/\(id)").status == .noContent)
        #expect(await drive.send(.delete, "/drive/v3/files/\(id)").status == .notFound)
        #expect(try directory?.names ?? [] == [])
    }

    @Test("Supports chunks, queries and completion in the X-Goog-Upload protocol", arguments: [true, false])
    func commands(onDisk: Bool) async throws {
        let (drive, _) = try Self.drive(onDisk: onDisk)
        let type = ["X-Goog-Upload-Content-Type": "image/png", "X-Goog-Upload-Content-Length": "-1"]
        let upload = try await UploadUnderTest(drive, query: "fields=*", Self.goog.merging(type) { $1 })
        #expect(upload.target.hasPrefix("/resumable/upload/drive/v3/files?"))
        let bytes = UploadUnderTest.bytes(Self.granule + 9)
        let first = await upload.command("upload", offset: 0, Array(bytes.prefix(Self.granule)))
        #expect(first.status == .ok)
        #expect(first.headers[named: "X-Goog-Upload-Status"] == "active")
        #expect(first.headers[named: "X-Goog-Upload-Size-Received"] == String(Self.granule))
        #expect(await upload.command("upload", offset: 999_999, [1]).status == .badRequest)
        #expect(await upload.command("upload", offset: Self.granule, [1]).status == .badRequest)
        #expect(await upload.command("upload", [1]).status == .badRequest)
        #expect(await upload.command("dance").status == .badRequest)
        let query = await upload.command("query")
        #expect(query.headers[named: "X-Goog-Upload-Size-Received"] == String(Self.granule))
        let last = await upload.command("upload, finalize", offset: Self.granule, Array(bytes.suffix(9)))
        #expect(last.headers[named: "X-Goog-Upload-Status"] == "final")
        #expect(try last.json["size"]?.string == String(bytes.count))
        #expect(try last.json["mimeType"]?.string == "image/png")
        let again = await upload.command("query")
        #expect(again.headers[named: "X-Goog-Upload-Status"] == "final")
        #expect(again.bytes == last.bytes)
    }

    @Test("Supports separate finalize and cancel commands")
    func finalizeAndCancel() async throws {
        let drive = try DriveUnderTest()
        let upload = try await UploadUnderTest(drive, query: "fields=*", Self.goog)
        _ = await upload.command("upload", offset: 0, UploadUnderTest.bytes(Self.granule))
        #expect(try await upload.command("finalize").json["size"]?.string == String(Self.granule))
        let length = ["X-Goog-Upload-Content-Length": "9"]
        let other = try await UploadUnderTest(drive, query: "fields=*", Self.goog.merging(length) { $1 })
        #expect(await other.command("finalize").status == .badRequest)
        let canceled = await other.command("cancel")
        #expect(canceled.status == .ok)
        #expect(canceled.headers[named: "X-Goog-Upload-Status"] == "cancelled")
        #expect(await other.command("query").status == .notFound)
    }

    @Test("Reports the chunk granularity and rejects invalid start requests")
    func beginning() async throws {
        let drive = try DriveUnderTest()
        let path = "/resumable/upload/drive/v3/files"
        let response = await drive.send(.post, path, Self.goog)
        #expect(response.headers[named: "X-Goog-Upload-Status"] == "active")
        #expect(response.headers[named: "X-Goog-Upload-Chunk-Granularity"] == "262144")
        #expect(await drive.send(.post, path, ["X-Goog-Upload-Protocol": "raw"]).status == .badRequest)
        let query = "/upload/drive/v3/files?uploadType=resumable"
        #expect(await drive.send(.post, query, ["X-Upload-Content-Length": "x"]).status == .badRequest)
        let large = String(DriveUpload.memoryLimit + 1)
        #expect(await drive.send(.post, query, ["X-Upload-Content-Length": large]).status == .contentTooLarge)
    }

    @Test("Rejects uploads over 64 MiB without a data directory")
    func memoryLimit() async throws {
        let upload = try await UploadUnderTest(try DriveUnderTest())
        let bytes = [UInt8](repeating: 0, count: Int(DriveUpload.memoryLimit) + 1)
        #expect(await upload.put(nil, bytes).status == .contentTooLarge)
    }

    @Test("Reads a body once and to its end, even after an error", .covers(154))
    func readOnce() async throws {
        let pieces = PieceCounter()
        let body = pieces.body
        await #expect(throws: APIFailure.self) {
            try await body.read { _ in throw APIFailure.badRequest("refused") }
        }
        #expect(pieces.value == 3)
        try await body.drain()
        #expect(pieces.value == 3)
    }

    #if os(Linux)
    @Test("Reports a full disk as an error and reads the body once", .covers(154))
    func fullDisk() async throws {
        let drive = try DriveUnderTest()
        let service = drive.service.drive
        let begun = try await UploadUnderTest(drive).target
        let first = try #require(begun.split(separator: "upload_id=").last.map(String.init))
        let session = DriveUpload(
            try #require(service.upload(first)).call,
            metadata: try FileMetadata([]),
            total: nil,
            temporary: DriveDirectory.Temporary(
                name: "full",
                file: DriveFileDescriptor(open("/dev/full", O_WRONLY | O_CLOEXEC))
            )
        )
        let id = service.save(session)
        let pieces = PieceCounter()
        let request = ProviderRequest(.put, begun)
        let response = await service.respond(to: request, pieces.body, session: id, .none, at: .now)
        #expect(response.status == .internalServerError)
        #expect(response.reason == "backendError")
        #expect(pieces.value == 3)
    }
    #endif

    /// Counts the pieces of a body that have been read.
    private final class PieceCounter: Sendable {
        private let count = Mutex(0)

        var value: Int { self.count.withLock { $0 } }

        /// A body of three pieces.
        var body: UploadBody {
            UploadBody(length: nil) { take in
                for _ in 0..<3 {
                    self.count.withLock { $0 += 1 }
                    guard try await take([1]) else { return }
                }
            }
        }
    }

    @Test("Removes temporary files of an earlier process at startup")
    func leftovers() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(DriveDirectory.temporaryPrefix + "1", [1])
        try directory.write(".other", [1])
        _ = try DriveUnderTest(directory: directory)
        #expect(try directory.allNames == [".other"])
    }
}
#endif

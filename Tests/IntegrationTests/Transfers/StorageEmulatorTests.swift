// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TestTransport
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestPrograms
internal import Testing

@Suite(
    "Transfers with gcp-storage-emulator",
    .enabled("needs python3-venv, and PyPI for the first run: Scripts/gcp-storage-emulator install") {
        await ProviderScript(name: "gcp-storage-emulator").isInstallable()
    }
)
struct StorageEmulatorTests {
    private struct Instance: Decodable {
        var origin: String
        var bucket: String

        var uploads: String { "\(self.origin)/upload/storage/v1/b/\(self.bucket)/o" }
        func object(_ name: String) -> String { "\(self.origin)/storage/v1/b/\(self.bucket)/o/\(name)" }
    }

    private static let content = (0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    private static func withEmulator(_ body: (Instance, AuthorizedFetcher) async throws -> Void) async throws {
        try await ProviderScript(name: "gcp-storage-emulator")
            .with([]) { (instance: Instance) in
                let fetcher = try AuthorizedFetcher(
                    FixedTokenSource(for: instance.origin),
                    transport: TestTransport.make(),
                    settings: .google
                )
                try await body(instance, fetcher)
            }
    }

    /// Downloads an object from the server.
    private static func download(_ name: String, _ instance: Instance, _ fetcher: AuthorizedFetcher) async throws
        -> [UInt8]
    {
        let path = FileManager.default.temporaryDirectory.path + "/object-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await fetcher.download(try HTTPRequest(url: instance.object(name) + "?alt=media"), to: path)
        return Array(try Data(contentsOf: URL(filePath: path)))
    }

    @Test("Uploads resumably in one or several pieces, from a file, and with an unknown length")
    func resumable() async throws {
        try await Self.withEmulator { instance, fetcher in
            let path = FileManager.default.temporaryDirectory.path + "/upload-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: path) }
            try Data(Self.content).write(to: URL(filePath: path))
            let (chunks, more) = AsyncStream<[UInt8]>.makeStream()
            for start in stride(from: 0, to: Self.content.count, by: 100_000) {
                more.yield(Array(Self.content[start..<min(start + 100_000, Self.content.count)]))
            }
            more.finish()
            let uploads: [(String, HTTPBody, Int?)] = [
                ("one-piece", HTTPBody(Self.content), nil), ("several", HTTPBody(Self.content), 262_144),
                ("file", try await HTTPBody(file: path), 524_288), ("sequence", HTTPBody(chunks), 262_144),
            ]
            for (name, source, pieceSize) in uploads {
                let upload = Upload(
                    try HTTPRequest(method: .post, url: "\(instance.uploads)?uploadType=resumable&name=\(name)"),
                    metadata: HTTPBody(#"{"name":"\#(name)"}"#),
                    source: source,
                    strategy: GoogleResumableUpload(),
                    pieceSize: pieceSize
                )
                let (_, response) = try await fetcher.upload(upload)
                #expect(try JSONValue(parsing: response)["size"]?.string == "900000", "\(name)")
                #expect(try await Self.download(name, instance, fetcher) == Self.content, "\(name)")
            }
        }
    }

    @Test("Uploads simple and multipart bodies, reads a range of them, and deletes them")
    func small() async throws {
        try await Self.withEmulator { instance, fetcher in
            var simple = try HTTPRequest(method: .post, url: "\(instance.uploads)?uploadType=media&name=simple")
            simple.headerFields[.contentType] = "text/plain"
            _ = try await fetcher.data(for: simple, body: HTTPBody(Self.content))
            let (request, body) = try MultipartUpload.make(
                try HTTPRequest(method: .post, url: "\(instance.uploads)?uploadType=multipart"),
                metadata: Array(#"{"name":"multipart"}"#.utf8),
                media: HTTPBody(Self.content),
                contentType: "text/plain"
            )
            let response = try JSONValue(parsing: try await fetcher.data(for: request, body: body))
            #expect(response["contentType"]?.string == "text/plain")
            for name in ["simple", "multipart"] {
                #expect(try await Self.download(name, instance, fetcher) == Self.content, "\(name)")
                var part = try HTTPRequest(url: instance.object(name) + "?alt=media")
                part.headerFields[.range] = "bytes=1000-1999"
                #expect(try await fetcher.data(for: part) == Array(Self.content[1000..<2000]), "\(name)")
                _ = try await fetcher.data(for: try HTTPRequest(method: .delete, url: instance.object(name)))
                let error = await #expect(throws: (any Error).self) {
                    try await Self.download(name, instance, fetcher)
                }
                #expect((error as? GoogleAPIError)?.httpStatus == 404, "\(name): \(String(describing: error))")
            }
        }
    }
}

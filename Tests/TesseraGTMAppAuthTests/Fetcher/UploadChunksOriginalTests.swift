// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

@Suite("Chunks of uploads, as in GTMSessionFetcher")
struct UploadChunksOriginalTests {
    @Test(
        "Sends small data in one chunk and returns the server's data",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, small data")
    )
    func small() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.uploadData = UploadServer.small
            #expect(await fetcher.end().text == "done")
            let chunk = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(chunk.head.method == .put)
            #expect(chunk.upload("Command") == "upload, finalize")
            #expect(chunk.upload("Offset") == "0")
            #expect(chunk.body.count == 13)
            #expect(server.received == UploadServer.small)
        }
    }

    enum Source: CaseIterable, Sendable {
        case data, fileHandle, fileURL, provider
    }

    @Test(
        "Sends big data from every source in chunks",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, big data"),
        arguments: Source.allCases
    )
    func big(_ source: Source) async throws {
        let program = try AppAuthProgram()
        let file = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
        try UploadServer.big.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            if source != .data { fetcher.uploadData = nil }
            switch source {
            case .data: break
            case .fileHandle: fetcher.uploadFileHandle = try FileHandle(forReadingFrom: file)
            case .fileURL: fetcher.uploadFileURL = file
            case .provider:
                fetcher.setUploadDataLength(199_000) { offset, length, respond in
                    respond(UploadServer.big.dropFirst(Int(offset)).prefix(Int(length)), 199_000, nil)
                }
            }
            #expect(await fetcher.end().text == "done")
            #expect(server.starts.map { $0.upload("Content-Length") } == ["199000"])
            #expect(server.commands == ["upload", "upload", "upload, finalize"])
            #expect(server.offsets == [0, 75_000, 150_000])
            #expect(server.lengths == [75_000, 75_000, 49_000])
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Makes the size of chunks a multiple of the server's granularity",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, granularity"),
        arguments: [
            (75_000, 66_666, [66_666, 66_666, 65_668]), (1_000, 50_000, [50_000, 50_000, 50_000, 49_000]),
            (120_000, 50_000, [100_000, 99_000]), (.max, 150_000, [199_000]),
        ] as [(Int64, Int, [Int])]
    )
    func granularity(_ chunkSize: Int64, _ granularity: Int, _ lengths: [Int]) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let values = ["URL": UploadServer.location.absoluteString, "Chunk-Granularity": "\(granularity)"]
            let server = UploadServer(program, begin: .upload("active", values))
            #expect(await server.fetcher(chunkSize: chunkSize).end().text == "done")
            #expect(server.lengths == lengths)
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Sends a rest of less than 2500 bytes along with the chunk before it",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, updateChunkFetcher:forChunkAtOffset:"),
        arguments: [(196_500, [196_500, 2_500]), (196_501, [199_000])] as [(Int64, [Int])]
    )
    func smallRest(_ chunkSize: Int64, _ lengths: [Int]) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            #expect(await server.fetcher(chunkSize: chunkSize).end().text == "done")
            #expect(server.lengths == lengths)
        }
    }

    @Test(
        "Sends one chunk with the standard chunk size, and with sizes that are not positive",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, kGTMSessionUploadFetcherStandardChunkSize"),
        arguments: [kGTMSessionUploadFetcherStandardChunkSize, 0, -1]
    )
    func standardSize(_ chunkSize: Int64) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            #expect(await server.fetcher(chunkSize: chunkSize).end().text == "done")
            #expect(server.commands == ["upload, finalize"])
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Streams a whole file in one chunk with the standard chunk size",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, uploadNextChunkWithOffset:")
    )
    func wholeFile() async throws {
        let program = try AppAuthProgram()
        let file = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
        try UploadServer.big.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        await program.run {
            let bodies = UploadLog()
            let server = UploadServer(program)
            let fetcher = server.fetcher(chunkSize: kGTMSessionUploadFetcherStandardChunkSize)
            fetcher.uploadData = nil
            fetcher.uploadFileURL = file
            fetcher.sendProgressBlock = { [unowned fetcher] _, _, _ in
                let chunk = fetcher.chunkFetcher
                bodies.add(chunk?.bodyFileURL == file && chunk?.bodyData == nil ? "file" : "memory")
            }
            #expect(await fetcher.end().text == "done")
            #expect(server.lengths == [199_000])
            #expect(server.received == UploadServer.big)
            #expect(bodies.all == ["file"])
        }
    }

    @Test(
        "Holds at most the maximum in memory",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, maximum demand"),
        arguments: [0, 654_321] as [Int64]
    )
    func maximum(_ more: Int64) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let requested = UploadLog()
            let server = UploadServer(program)
            let fetcher = server.fetcher(chunkSize: kGTMSessionUploadFetcherStandardChunkSize)
            fetcher.uploadData = nil
            let length = kGTMSessionUploadFetcherMaximumDemandBufferSize + more
            fetcher.setUploadDataLength(length) { offset, count, respond in
                requested.add("\(offset) \(count)")
                respond(nil, length, CocoaError(.userCancelled))
            }
            #expect(await fetcher.end().error != nil)
            #expect(requested.all == ["0 \(kGTMSessionUploadFetcherMaximumDemandBufferSize)"])
        }
    }

    @Test(
        "Describes a chunk in the header of its request",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, updateChunkFetcher:forChunkAtOffset:")
    )
    func header() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.request?.timeoutInterval = 90
            #expect(await fetcher.end().error == nil)
            let request = try #require(fetcher.lastChunkRequest)
            #expect(request.url == UploadServer.location)
            #expect(request.httpMethod == "PUT")
            #expect(request.timeoutInterval == 90)
            let expected = [
                "X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "upload, finalize",
                "X-Goog-Upload-Offset": "150000", "X-Goog-Upload-Content-Length": "199000", "Content-Length": "49000",
                "Content-Type": "text/plain", "User-Agent": GTMFetcherStandardUserAgentString(nil) + " (GTMSUF/1)",
            ]
            #expect(request.allHTTPHeaderFields == expected)
            let sent = try #require(server.requests.last)
            #expect(sent.head.headerFields[.contentType] == "text/plain")
            #expect(sent.upload("Content-Length") == "199000")
        }
    }

    @Test(
        "Finalizes an upload of empty data in one request",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, empty file"),
        arguments: [true, false]
    )
    func empty(_ isFile: Bool) async throws {
        let program = try AppAuthProgram()
        let file = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.uploadData = isFile ? nil : Data()
            fetcher.uploadFileURL = isFile ? file : nil
            #expect(await fetcher.end().text == "done")
            #expect(server.commands == ["finalize"])
            #expect(server.lengths == [0])
        }
    }

    @Test(
        "Reports a missing file after the first request",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, missing file")
    )
    func missingFile() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.uploadData = nil
            fetcher.uploadFileURL = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
            let end = await fetcher.end()
            #expect(server.starts.map { $0.upload("Content-Length") } == ["0"])
            #expect(end.domain == NSCocoaErrorDomain)
            #expect(end.code == 260)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "Rejects a file handle that cannot seek and an upload without data",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, fullUploadLength"),
        arguments: [true, false]
    )
    func noData(_ isPipe: Bool) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.uploadData = nil
            let pipe = Pipe()
            if isPipe { fetcher.uploadFileHandle = pipe.fileHandleForReading }
            #expect(await fetcher.end().error != nil)
            #expect(server.requests.isEmpty)
        }
    }
}

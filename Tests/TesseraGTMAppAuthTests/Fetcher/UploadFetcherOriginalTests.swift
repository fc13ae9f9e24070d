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

@Suite("Properties of upload fetchers, as in GTMSessionFetcher")
struct UploadFetcherOriginalTests {
    @Test(
        "Has the upload's URL from the first response to the end, and announces it once",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, upload location")
    )
    func location() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            let locations = UploadLog()
            fetcher.uploadData = nil
            fetcher.setUploadDataLength(199_000) { [unowned fetcher] offset, length, respond in
                locations.add(fetcher.uploadLocationURL?.absoluteString ?? "none")
                respond(UploadServer.big.dropFirst(Int(offset)).prefix(Int(length)), 199_000, nil)
            }
            let posts = UploadLog()
            let observer = NotificationCenter.default.addObserver(
                forName: .gtmSessionFetcherUploadLocationObtained,
                object: fetcher,
                queue: nil
            ) { posts.add(($0.object as? GTMSessionUploadFetcher)?.uploadMIMEType ?? "none") }
            defer { NotificationCenter.default.removeObserver(observer) }
            #expect(fetcher.uploadLocationURL == nil)
            #expect(await fetcher.end().error == nil)
            // Notifications are posted on the main queue.
            await MainActor.run {}
            #expect(posts.all == ["text/plain"])
            #expect(locations.all == Array(repeating: UploadServer.location.absoluteString, count: 3))
            #expect(fetcher.uploadLocationURL == nil)
        }
    }

    @Test(
        "Continues an upload with the URL of a fetcher that failed",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, uploadLocationURL")
    )
    func continuation() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let server = UploadServer(program) { number, _ in number == 2 ? .status(.internalServerError) : nil }
            let failed = server.fetcher()
            #expect(await failed.end().code == 500)
            let fetcher = server.resumingFetcher()
            let location: URL = try #require(failed.uploadLocationURL)
            fetcher.uploadLocationURL = location
            #expect(await fetcher.end().text == "done")
            #expect(server.commands == ["upload", "upload", "query", "upload", "upload, finalize"])
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Reports the progress of the first body and all chunks",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, progress"),
        arguments: [true, false]
    )
    func progress(_ isKnown: Bool) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.bodyData = Data("0123456789".utf8)
            if !isKnown {
                fetcher.uploadData = nil
                fetcher.setUploadDataLength(kGTMSessionUploadFetcherUnknownFileSize) {
                    $2(UploadServer.big.dropFirst(Int($0)).prefix(Int($1)), $0 < 150_000 ? -1 : 199_000, nil)
                }
            }
            let steps = UploadLog()
            fetcher.sendProgressBlock = { steps.add("\($0) \($1) \($2)") }
            #expect(await fetcher.end().error == nil)
            #expect(server.starts.map(\.text) == ["0123456789"])
            let whole = isKnown ? "199010" : "-1"
            let chunks = ["75000 75010 \(whole)", "75000 150010 \(whole)", "49000 199010 199010"]
            #expect(Array(steps.all.dropFirst()) == chunks)
            if isKnown { #expect(steps.all.first == "10 10 199010") }
        }
    }

    @Test(
        "Has the status and the header of the last chunk's response",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, statusCode")
    )
    func response() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in number == 3 ? .upload("final", status: .created) : nil }
            let fetcher = server.fetcher()
            #expect(await fetcher.end().error == nil)
            #expect(fetcher.statusCode == 201)
            #expect(fetcher.responseHeaders?["X-Goog-Upload-Status"] == "final")
        }
    }

    @Test(
        "Has the current chunk's fetcher, offset and request",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, activeFetcher and parentUploadFetcher")
    )
    func chunk() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let (arrival, gate) = (Gate(), Gate())
            let server = UploadServer(program) { number, _ in
                if number == 2 {
                    arrival.open()
                    await gate.wait()
                }
                return nil
            }
            let fetcher = server.fetcher()
            #expect(fetcher.activeFetcher === fetcher)
            async let end = fetcher.end()
            await arrival.wait()
            let chunk = try #require(fetcher.chunkFetcher)
            #expect(fetcher.activeFetcher === chunk)
            #expect(chunk.parentUploadFetcher === fetcher)
            #expect(fetcher.parentUploadFetcher == nil)
            #expect(fetcher.currentOffset == 75_000)
            #expect(fetcher.lastChunkRequest?.value(forHTTPHeaderField: "X-Goog-Upload-Offset") == "75000")
            #expect(fetcher.delegateCompletionHandler != nil)
            #expect(fetcher.delegateCallbackQueue === fetcher.callbackQueue)
            gate.open()
            #expect(await end.error == nil)
            #expect(fetcher.activeFetcher === fetcher)
            #expect(fetcher.chunkFetcher == nil)
            #expect(fetcher.delegateCompletionHandler == nil)
        }
    }

    @Test(
        "Adds the range to the comments of chunks, which have the upload's properties",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, comments of chunk fetchers"),
        arguments: [("Film", "Film"), (nil, "upload")] as [(String?, String)]
    )
    func comment(_ comment: String?, _ shown: String) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program, received: UploadServer.big.prefix(75_000))
            let fetcher = server.resumingFetcher()
            let comments = UploadLog()
            program.network.intercept(UploadServer.session) { [unowned fetcher] request in
                let chunk = fetcher.chunkFetcher
                comments.add("\(chunk?.comment ?? "none") \(chunk?.property(forKey: "key") as? String ?? "none")")
                return server.take(request)
            }
            fetcher.comment = comment
            fetcher.setProperty("value", forKey: "key")
            #expect(await fetcher.end().error == nil)
            let expected = ["(query offset)", "(75000-149999)", "(150000-198999)"].map { "\(shown) \($0) value" }
            #expect(comments.all == expected)
        }
    }

    @Test(
        "Asks the provider once for all data and sends nothing if a test block responds",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, test block"),
        arguments: [true, false]
    )
    func testBlock(_ isNew: Bool) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = isNew ? server.fetcher() : server.resumingFetcher()
            fetcher.uploadData = nil
            let requested = UploadLog()
            fetcher.setUploadDataLength(199_000) { offset, length, respond in
                requested.add("\(offset) \(length)")
                respond(UploadServer.big, 199_000, nil)
            }
            fetcher.testBlock = { _, respond in respond(nil, Data("test".utf8), nil) }
            #expect(await fetcher.end().text == "test")
            #expect(requested.all == ["0 199000"])
            #expect(server.starts.isEmpty)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "Reports the error of a test block",
        .original("GTMSessionFetcher GTMSessionFetcher.h, testBlock")
    )
    func testBlockError() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.testBlock = { _, respond in respond(nil, nil, NSError(domain: "test", code: 7)) }
            let end = await fetcher.end()
            #expect(end.domain == "test")
            #expect(end.code == 7)
            #expect(server.starts.isEmpty)
        }
    }

    @Test(
        "Uploads the data if a test block does not respond",
        .original("GTMSessionFetcher GTMSessionFetcher.h, testBlock")
    )
    func silentTestBlock() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.testBlock = { _, respond in respond(nil, nil, nil) }
            #expect(await fetcher.end().text == "done")
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Does not permit cellular networks in requests of an upload that must not use them",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, allowsCellularAccess"),
        arguments: [true, false]
    )
    func cellular(_ permits: Bool) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = GTMSessionUploadFetcher(
                location: UploadServer.location,
                uploadMIMEType: "text/plain",
                chunkSize: 75_000,
                allowsCellularAccess: permits,
                fetcherService: nil
            )
            fetcher.callbackQueue = DispatchQueue(label: "upload")
            fetcher.uploadData = UploadServer.big
            #expect(await fetcher.end().error == nil)
            #expect(fetcher.allowsCellularAccess == permits)
            #expect(fetcher.lastChunkRequest?.allowsCellularAccess == permits)
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Uploads with a service that permits only one fetcher at a time",
        .original("GTMSessionFetcher GTMSessionFetcherService.h, maxRunningFetchersPerHost")
    )
    func service() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let service = GTMSessionFetcherService()
            service.maxRunningFetchersPerHost = 1
            async let one = server.fetcher(service).end()
            #expect(await one.text == "done")
            #expect(service.numberOfFetchers() == 0)
            #expect(server.lengths == [75_000, 75_000, 49_000])
        }
    }
}

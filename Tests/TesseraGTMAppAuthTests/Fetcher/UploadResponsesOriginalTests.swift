// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

@Suite("Responses to chunks and queries, as in GTMSessionFetcher")
struct UploadResponsesOriginalTests {
    @Test(
        "Resumes an upload with a query and the bytes that the server has not received",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, restart")
    )
    func restart() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let server = UploadServer(program, received: UploadServer.big.prefix(190_000))
            #expect(await server.resumingFetcher(chunkSize: 5_000).end().text == "done")
            #expect(server.starts.isEmpty)
            #expect(server.commands == ["query", "upload", "upload, finalize"])
            #expect(server.offsets == [190_000, 195_000])
            #expect(server.lengths == [0, 5_000, 4_000])
            let query = try #require(server.requests.first)
            #expect(query.head.method == .put)
            #expect(query.upload("Protocol") == "resumable")
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Succeeds with the query's data if the upload is final",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, query final")
    )
    func queryFinal() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { _, _ in .upload("final", text: "complete") }
            let fetcher = server.resumingFetcher()
            let end = await fetcher.end()
            #expect(end.error == nil)
            #expect(end.text == "complete")
            #expect(server.commands == ["query"])
            #expect(fetcher.uploadLocationURL == nil)
        }
    }

    @Test(
        "Fails with 501 if a query finds a canceled upload or no size",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, query canceled and query without size"),
        arguments: [("cancelled", nil), ("active", nil), (nil, nil), ("active", "-1"), ("active", "many")]
            as [(String?, String?)]
    )
    func queryFailures(_ status: String?, _ size: String?) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { _, _ in .upload(status, size.map { ["Size-Received": $0] } ?? [:]) }
            let fetcher = server.resumingFetcher()
            let end = await fetcher.end()
            #expect(end.data == Data())
            #expect(end.domain == kGTMSessionFetcherStatusDomain)
            #expect(end.code == 501)
            #expect(server.commands == ["query"])
            #expect((fetcher.uploadLocationURL == nil) == (status == "cancelled"))
        }
    }

    @Test(
        "Reports a failed query and does not repeat it",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, query failure"),
        arguments: [true, false]
    )
    func queryFailure(_ retries: Bool) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { _, _ in .status(.badGateway) }
            let fetcher = server.resumingFetcher()
            fetcher.isRetryEnabled = retries
            let end = await fetcher.end()
            #expect(end.domain == kGTMSessionFetcherStatusDomain)
            #expect(end.code == 502)
            #expect(server.commands == ["query"])
            #expect(fetcher.uploadLocationURL == UploadServer.location)
        }
    }

    @Test(
        "Finalizes an upload of which the server has received all bytes",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, queryFetcher:finishedWithData:error:")
    )
    func queryComplete() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program, received: UploadServer.big)
            #expect(await server.resumingFetcher().end().text == "done")
            #expect(server.commands == ["query", "finalize"])
            #expect(server.offsets == [199_000])
            #expect(server.lengths == [0, 0])
        }
    }

    @Test(
        "Fails with 501 and without data if the server has canceled the upload",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, canceled")
    )
    func canceled() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in number == 2 ? .upload("cancelled", text: "no") : nil }
            let fetcher = server.fetcher()
            let end = await fetcher.end()
            #expect(end.data == nil)
            #expect(end.domain == kGTMSessionFetcherStatusDomain)
            #expect(end.code == 501)
            #expect(server.commands == ["upload", "upload"])
            #expect(fetcher.uploadLocationURL == nil)
        }
    }

    @Test(
        "Ends with the first response whose status is final",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, chunkFetcher:finishedWithData:error:")
    )
    func early() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { _, _ in .upload("Final", text: "early") }
            #expect(await server.fetcher().end().text == "early")
            #expect(server.commands == ["upload"])
        }
    }

    @Test(
        "Asks for the received size after a 4xx status with an active upload, and continues there",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, chunkFetcher:finishedWithData:error:"),
        arguments: [HTTPResponse.Status.badRequest, .conflict, .preconditionFailed]
    )
    func active(_ status: HTTPResponse.Status) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            program.network.intercept(UploadServer.session) { request in
                guard server.requests.count == 2 else { return server.take(request) }
                server.take(request, 10_000)
                return .upload("active", status: status)
            }
            async let end = server.fetcher().end()
            await server.elapse(1)
            #expect(await end.text == "done")
            #expect(server.commands == ["upload", "upload", "query", "upload", "upload, finalize"])
            #expect(server.offsets == [0, 75_000, 85_000, 160_000])
            #expect(server.lengths == [75_000, 75_000, 0, 75_000, 39_000])
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Reports 404, and other statuses without an active upload, and keeps the URL",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, chunk 404"),
        arguments: [(HTTPResponse.Status.notFound, "active"), (.notFound, nil), (.badRequest, nil), (.gone, "final")]
            as [(HTTPResponse.Status, String?)]
    )
    func rejected(_ status: HTTPResponse.Status, _ state: String?) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in number == 2 ? .upload(state, status: status) : nil }
            let fetcher = server.fetcher()
            fetcher.isRetryEnabled = true
            let end = await fetcher.end()
            #expect(end.domain == kGTMSessionFetcherStatusDomain)
            #expect(end.code == status.code)
            #expect(server.commands == ["upload", "upload"])
            #expect(fetcher.uploadLocationURL == UploadServer.location)
        }
    }

    @Test(
        "Repeats a chunk after 503 if retries are enabled",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, chunk retried")
    )
    func retried() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in number == 2 ? .status(.serviceUnavailable) : nil }
            let fetcher = server.fetcher()
            fetcher.isRetryEnabled = true
            async let end = fetcher.end()
            await server.elapse(1)
            #expect(await end.text == "done")
            #expect(server.commands == ["upload", "upload", "query", "upload", "upload, finalize"])
            #expect(server.offsets == [0, 75_000, 75_000, 150_000])
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Reports 503 if retries are not enabled",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, chunk not retried")
    )
    func notRetried() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in number == 2 ? .status(.serviceUnavailable) : nil }
            let end = await server.fetcher().end()
            #expect(end.domain == kGTMSessionFetcherStatusDomain)
            #expect(end.code == 503)
            #expect(server.commands == ["upload", "upload"])
        }
    }

    @Test(
        "Lets the retry block decide about chunks",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, uploadFetcherWithProperties:isQueryFetch:"),
        arguments: [(HTTPResponse.Status.internalServerError, true), (.serviceUnavailable, false)]
    )
    func retryBlock(_ status: HTTPResponse.Status, _ retries: Bool) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let suggestions = UploadLog()
            let server = UploadServer(program) { number, _ in number == 1 ? .status(status) : nil }
            let fetcher = server.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.retryBlock = { suggestion, error, respond in
                suggestions.add("\(suggestion) \((error as NSError?)?.code ?? 0)")
                respond(retries)
            }
            async let end = fetcher.end()
            if retries { await server.elapse(1) }
            #expect(await end.code == (retries ? nil : status.code))
            #expect(suggestions.all == ["\(!retries) \(status.code)"])
            #expect(server.commands.count == (retries ? 5 : 1))
        }
    }

    @Test(
        "Continues at the size that the response to a chunk reports",
        .original("GTMSessionFetcher pull request 323, X-Goog-Upload-Size-Received")
    )
    func partial() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            program.network.intercept(UploadServer.session) { request in
                server.requests.count == 1 ? server.take(request, 50_000) : server.take(request)
            }
            #expect(await server.fetcher().end().text == "done")
            #expect(server.offsets == [0, 50_000, 125_000])
            #expect(server.lengths == [75_000, 75_000, 74_000])
            #expect(server.received == UploadServer.big)
        }
    }
}

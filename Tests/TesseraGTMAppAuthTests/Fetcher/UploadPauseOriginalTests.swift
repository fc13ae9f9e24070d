// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

@Suite("Pauses of uploads, as in GTMSessionFetcher")
struct UploadPauseOriginalTests {
    /// Waits until a paused fetcher has ended its request.
    private static func rest(_ fetcher: GTMSessionUploadFetcher) async {
        while fetcher.chunkFetcher != nil { await Task.yield() }
    }

    @Test(
        "Pauses during a chunk, and resumes with a query",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, pause"),
        arguments: [true, false]
    )
    func pause(_ waits: Bool) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let (arrival, gate) = (Gate(), Gate())
            let server = UploadServer(program) { number, _ in
                if number == 2 {
                    arrival.open()
                    await gate.wait()
                    try Task.checkCancellation()
                }
                return nil
            }
            let fetcher = server.fetcher()
            #expect(!fetcher.isPaused())
            async let end = fetcher.end()
            await arrival.wait()
            fetcher.pauseFetching()
            #expect(fetcher.isPaused())
            if waits { await Self.rest(fetcher) }
            #expect(fetcher.isFetching)
            #expect(server.requests.count == 2)
            fetcher.resumeFetching()
            #expect(!fetcher.isPaused())
            #expect(await end.text == "done")
            #expect(server.commands == ["upload", "upload", "query", "upload", "upload, finalize"])
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Pauses between chunks",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, pauseFetching")
    )
    func between() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.uploadData = nil
            let paused = Gate()
            fetcher.setUploadDataLength(199_000) { [unowned fetcher] offset, length, respond in
                if offset == 75_000, server.requests.count == 1 {
                    fetcher.pauseFetching()
                    paused.open()
                }
                respond(UploadServer.big.dropFirst(Int(offset)).prefix(Int(length)), 199_000, nil)
            }
            async let end = fetcher.end()
            await paused.wait()
            for _ in 0..<100 { await Task.yield() }
            #expect(server.commands == ["upload"])
            fetcher.resumeFetching()
            #expect(await end.text == "done")
            #expect(server.commands.filter { $0 != "query" } == ["upload", "upload", "upload, finalize"])
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Completes the first request before it pauses",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, pauseFetching")
    )
    func first() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.pauseFetching()
            async let end = fetcher.end()
            while fetcher.uploadLocationURL == nil { await Task.yield() }
            for _ in 0..<100 { await Task.yield() }
            #expect(server.requests.isEmpty)
            fetcher.resumeFetching()
            #expect(await end.text == "done")
            #expect(server.starts.count == 1)
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Pauses during a query, which does not end the upload",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, pauseFetching")
    )
    func query() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let (arrival, gate) = (Gate(), Gate())
            let server = UploadServer(program, received: UploadServer.big.prefix(150_000)) { number, _ in
                if number == 1 {
                    arrival.open()
                    await gate.wait()
                    try Task.checkCancellation()
                }
                return nil
            }
            let fetcher = server.resumingFetcher()
            async let end = fetcher.end()
            await arrival.wait()
            fetcher.pauseFetching()
            await Self.rest(fetcher)
            fetcher.resumeFetching()
            #expect(await end.text == "done")
            #expect(server.commands == ["query", "query", "upload, finalize"])
        }
    }

    @Test(
        "Pauses while it waits to repeat a chunk",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, pauseFetching")
    )
    func wait() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in number == 1 ? .status(.serviceUnavailable) : nil }
            let fetcher = server.fetcher()
            fetcher.isRetryEnabled = true
            async let end = fetcher.end()
            await program.network.clock.sleeperCount(reaches: 1)
            fetcher.pauseFetching()
            program.network.clock.advance(by: .seconds(1))
            for _ in 0..<100 { await Task.yield() }
            #expect(server.commands == ["upload"])
            fetcher.resumeFetching()
            #expect(await end.text == "done")
            #expect(server.commands == ["upload", "query", "upload", "upload", "upload, finalize"])
        }
    }

    @Test(
        "Reports an upload that ends while it is being paused",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, pauseFetching")
    )
    func pausedAtEnd() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = server.fetcher()
            fetcher.uploadData = UploadServer.small
            fetcher.testBlock = { [unowned fetcher] _, respond in
                fetcher.pauseFetching()
                respond(nil, Data("test".utf8), nil)
            }
            #expect(await fetcher.end().text == "test")
            #expect(fetcher.isPaused())
            #expect(server.requests.isEmpty)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

@Suite("Repeated chunks and contradicting servers, as in GTMSessionFetcher")
struct UploadRetryOriginalTests {
    @Test(
        "Waits longer before each repetition of a chunk, until the next wait would be too long",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, uploadRetryFactor")
    )
    func waits() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { _, request in
                request.upload("Command") == "query" ? nil : .status(.serviceUnavailable)
            }
            let fetcher = server.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.minUploadRetryInterval = 3
            fetcher.uploadRetryFactor = 2
            fetcher.maxUploadRetryInterval = 6
            async let end = fetcher.end()
            await server.elapse(2)
            #expect(program.network.clock.sleeperCount == 1)
            program.network.clock.advance(by: .seconds(1))
            await server.elapse(5)
            #expect(program.network.clock.sleeperCount == 1)
            program.network.clock.advance(by: .seconds(1))
            #expect(await end.code == 503)
            #expect(server.commands == ["upload", "query", "upload", "query", "upload"])
            #expect(fetcher.uploadLocationURL == UploadServer.location)
        }
    }

    @Test(
        "Starts over with the shortest wait after progress",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, minUploadRetryInterval")
    )
    func progress() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in
                [2, 5].contains(number) ? .status(.serviceUnavailable) : nil
            }
            let fetcher = server.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.maxUploadRetryInterval = 1
            async let end = fetcher.end()
            await server.elapse(1)
            await server.elapse(1)
            #expect(await end.text == "done")
            let expected = ["upload", "upload", "query", "upload", "upload, finalize", "query", "upload, finalize"]
            #expect(server.commands == expected)
        }
    }

    @Test(
        "Announces the first wait",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, kGTMSessionFetcherUploadInitialBackoffStarted")
    )
    func notification() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in
                [1, 3].contains(number) ? .status(.serviceUnavailable) : nil
            }
            let fetcher = server.fetcher()
            fetcher.isRetryEnabled = true
            let posts = UploadLog()
            let observer = NotificationCenter.default.addObserver(
                forName: .gtmSessionFetcherUploadInitialBackoffStarted,
                object: fetcher,
                queue: nil
            ) { _ in posts.add("wait") }
            defer { NotificationCenter.default.removeObserver(observer) }
            async let end = fetcher.end()
            await server.elapse(1)
            await server.elapse(2)
            #expect(await end.text == "done")
            await MainActor.run {}
            #expect(posts.all == ["wait"])
        }
    }

    @Test(
        "Has defaults for waits, and replaces values that are not positive",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, minUploadRetryInterval")
    )
    func defaults() {
        let fetcher = GTMSessionUploadFetcher()
        #expect(fetcher.uploadRetryFactor == 2)
        #expect(fetcher.maxUploadRetryInterval == 600)
        #expect(1...2 ~= fetcher.minUploadRetryInterval)
        fetcher.minUploadRetryInterval = -1
        #expect(1...2 ~= fetcher.minUploadRetryInterval)
    }

    @Test(
        "Fails at once if the first wait is longer than the longest one",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, maxUploadRetryInterval"),
        arguments: [(1, .nan), (1, 0), (1, -.infinity), (.infinity, 600)] as [(TimeInterval, TimeInterval)]
    )
    func strangeWaits(_ min: Double, _ max: Double) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { _, _ in .upload("active", status: .badRequest) }
            let fetcher = server.fetcher()
            fetcher.minUploadRetryInterval = min
            fetcher.maxUploadRetryInterval = max
            #expect(await fetcher.end().code == 400)
            #expect(server.commands == ["upload"])
        }
    }

    @Test(
        "Waits for a time that no clock can represent",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, minUploadRetryInterval"),
        arguments: [TimeInterval.greatestFiniteMagnitude, .infinity]
    )
    func longWaits(_ min: Double) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in
                number == 1 ? .upload("active", status: .badRequest) : nil
            }
            let fetcher = server.fetcher()
            fetcher.minUploadRetryInterval = min
            fetcher.maxUploadRetryInterval = .infinity
            async let end = fetcher.end()
            await server.elapse(1_000_000_000)
            #expect(await end.text == "done")
        }
    }

    @Test(
        "Fails if the server never receives anything",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, chunkFetcher:finishedWithData:error:"),
        arguments: [HTTPResponse.Status.ok, .badRequest]
    )
    func stall(_ status: HTTPResponse.Status) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { _, request in
                guard request.upload("Command") != "query" else { return nil }
                return .upload("active", ["Size-Received": "0"], status: status)
            }
            let fetcher = server.fetcher()
            fetcher.maxUploadRetryInterval = 2
            async let end = fetcher.end()
            await server.elapse(1)
            await server.elapse(2)
            #expect(await end.domain == kGTMSessionFetcherStatusDomain)
            #expect(await end.code == (status == .ok ? 501 : 400))
            #expect(server.commands.filter { $0 == "upload" }.count == 3)
        }
    }

    @Test(
        "Fails if the server always loses what it has received",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, chunkFetcher:finishedWithData:error:")
    )
    func lossy() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { _, request in
                .upload("active", ["Size-Received": request.upload("Offset") == "0" ? "75000" : "0"])
            }
            let fetcher = server.fetcher()
            fetcher.maxUploadRetryInterval = 1
            fetcher.uploadRetryFactor = 1
            async let end = fetcher.end()
            for _ in 0..<4 { await server.elapse(1) }
            #expect(await end.code == 501)
            #expect(server.offsets == [0, 75_000, 0, 75_000, 0, 75_000, 0, 75_000, 0, 75_000])
        }
    }

    @Test(
        "Sends data again that the server has lost",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, queryFetcher:finishedWithData:error:")
    )
    func lost() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in
                switch number {
                case 2: .status(.serviceUnavailable)
                case 3: .upload("active", ["Size-Received": "50000"])
                case 1, 4: .upload("active")
                default: .upload("final", text: "done")
                }
            }
            let fetcher = server.fetcher()
            fetcher.isRetryEnabled = true
            async let end = fetcher.end()
            await server.elapse(1)
            #expect(await end.text == "done")
            #expect(server.offsets == [0, 75_000, 50_000, 125_000])
            #expect(Data(server.requests[3].body) == UploadServer.big[50_000..<125_000])
        }
    }

    @Test(
        "Fails if the server claims to have received more than was sent",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, chunkFetcher:finishedWithData:error:"),
        arguments: [75_001, 199_000, 199_001, Int64.max]
    )
    func tooMuch(_ size: Int64) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { _, _ in .upload("active", ["Size-Received": "\(size)"]) }
            #expect(await server.fetcher().end().code == 501)
            #expect(server.commands == ["upload"])
        }
    }

    @Test(
        "Fails if the server claims to have received more than there is",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, queryFetcher:finishedWithData:error:"),
        arguments: [(true, 199_001), (true, .max), (false, .max)] as [(Bool, Int64)]
    )
    func tooMuchInQuery(_ isKnown: Bool, _ size: Int64) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { _, _ in .upload("active", ["Size-Received": "\(size)"]) }
            let fetcher = server.resumingFetcher()
            if !isKnown {
                fetcher.uploadData = nil
                fetcher.setUploadDataLength(-1) { _, _, respond in respond(UploadServer.small, -1, nil) }
            }
            #expect(await fetcher.end().code == 501)
            #expect(server.commands == ["query"])
        }
    }

    @Test(
        "Sends the rest if the server has received only a part of the last chunk",
        .original("GTMSessionFetcher pull request 323, X-Goog-Upload-Size-Received")
    )
    func partOfLast() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in
                number == 4 ? .upload("final", text: "done") : .upload("active", number == 3 ? Self.part : [:])
            }
            #expect(await server.fetcher().end().text == "done")
            #expect(server.offsets == [0, 75_000, 150_000, 160_000])
            #expect(server.lengths == [75_000, 75_000, 49_000, 39_000])
            #expect(server.commands.last == "upload, finalize")
        }
    }

    private static let part = ["Size-Received": "160000"]

    @Test(
        "Finalizes again if the upload is still active after its last chunk",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, chunkFetcher:finishedWithData:error:"),
        arguments: [true, false]
    )
    func notFinal(_ ends: Bool) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in
                number == 3 && ends ? .upload("final", text: "done") : .upload("active")
            }
            let fetcher = server.fetcher(chunkSize: 199_000)
            fetcher.maxUploadRetryInterval = 1
            async let end = fetcher.end()
            await server.elapse(1)
            #expect(await end.code == (ends ? nil : 501))
            #expect(server.commands == ["upload, finalize", "finalize", "finalize"])
            #expect(server.offsets == [0, 199_000, 199_000])
        }
    }

    @Test(
        "Ignores a granularity that is not positive or larger than any server needs",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, X-Goog-Upload-Chunk-Granularity"),
        arguments: ["0", "-262144", "9223372036854775807", "many"]
    )
    func granularity(_ granularity: String) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let values = ["URL": UploadServer.location.absoluteString, "Chunk-Granularity": granularity]
            let server = UploadServer(program, begin: .upload("active", values))
            #expect(await server.fetcher().end().text == "done")
            #expect(server.lengths == [75_000, 75_000, 49_000])
        }
    }
}

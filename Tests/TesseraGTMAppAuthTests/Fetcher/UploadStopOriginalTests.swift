// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

@Suite("Stopped uploads, as in GTMSessionFetcher")
struct UploadStopOriginalTests {
    /// A server that receives the first chunk and holds the second one.
    private struct Held {
        let server: UploadServer
        let arrival: Gate

        init(_ program: AppAuthProgram) {
            let (arrival, gate) = (Gate(), Gate())
            self.arrival = arrival
            self.server = UploadServer(program) { number, _ in
                if number == 2 {
                    arrival.open()
                    await gate.wait()
                    try Task.checkCancellation()
                }
                return nil
            }
        }
    }

    @Test(
        "Cancels the upload at the server and calls the cancellation handler instead of the completion handler",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, cancel")
    )
    func cancel() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let held = Held(program)
            let fetcher = held.server.fetcher()
            let (calls, gate) = (UploadLog(), Gate())
            fetcher.cancellationHandler = { child, data, error in
                calls.add("\(child?.statusCode ?? 0) \(data?.count ?? -1) \(error == nil) \(child?.comment ?? "")")
                gate.open()
            }
            fetcher.beginFetch { _, _ in calls.add("completed") }
            await held.arrival.wait()
            fetcher.stopFetching()
            #expect(!fetcher.isFetching)
            #expect(fetcher.uploadLocationURL == nil)
            await gate.wait()
            await fetcher.drainCallbacks()
            #expect(calls.all == ["200 0 true upload (cancel)"])
            #expect(held.server.commands == ["upload", "upload", "cancel"])
            #expect(held.server.lengths.last == 0)
            #expect(fetcher.cancellationHandler == nil)
        }
    }

    @Test(
        "Cancels the upload at the server without a cancellation handler",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, stopFetching"),
        .timeLimit(.minutes(1))
    )
    func noHandler() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let held = Held(program)
            let fetcher = held.server.fetcher()
            fetcher.beginFetch { _, _ in }
            await held.arrival.wait()
            fetcher.stopFetching()
            while held.server.requests.count < 3, !Task.isCancelled { await Task.yield() }
            #expect(held.server.commands == ["upload", "upload", "cancel"])
        }
    }

    @Test(
        "Passes nil to the cancellation handler if the upload has not begun",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, cancel early"),
        arguments: [true, false]
    )
    func cancelEarly(_ begins: Bool) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let (arrival, gate, canceled) = (Gate(), Gate(), Gate())
            let server = UploadServer(program)
            program.network.intercept(UploadServer.start) { _ in
                arrival.open()
                await gate.wait()
                return .upload("active", ["URL": UploadServer.location.absoluteString])
            }
            let fetcher = server.fetcher()
            let calls = UploadLog()
            fetcher.cancellationHandler = { child, data, error in
                calls.add("\(child == nil) \(data == nil) \(error == nil)")
                canceled.open()
            }
            if begins {
                fetcher.beginFetch { _, _ in calls.add("completed") }
                await arrival.wait()
            }
            fetcher.stopFetching()
            gate.open()
            await canceled.wait()
            await fetcher.drainCallbacks()
            #expect(calls.all == ["true true true"])
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "Calls the completion handler after a stop if the app has requested it",
        .original("GTMSessionFetcher GTMSessionFetcher.h, stopFetchingTriggersCompletionHandler")
    )
    func triggers() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let held = Held(program)
            let fetcher = held.server.fetcher()
            fetcher.stopFetchingTriggersCompletionHandler = true
            async let end = fetcher.end()
            await held.arrival.wait()
            fetcher.stopFetching()
            #expect(await end.code == GTMSessionFetcherError.userCancelled.rawValue)
            #expect(await end.domain == kGTMSessionFetcherErrorDomain)
        }
    }

    @Test(
        "Cancels once if it is stopped twice",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, stopFetching")
    )
    func twice() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let held = Held(program)
            let fetcher = held.server.fetcher()
            let (calls, gate) = (UploadLog(), Gate())
            fetcher.cancellationHandler = { _, _, _ in
                calls.add("canceled")
                gate.open()
            }
            fetcher.beginFetch { _, _ in }
            await held.arrival.wait()
            fetcher.stopFetching()
            fetcher.stopFetching()
            await gate.wait()
            await fetcher.drainCallbacks()
            #expect(calls.all == ["canceled"])
            #expect(held.server.commands == ["upload", "upload", "cancel"])
        }
    }

    @Test(
        "Sends nothing more if it is stopped between chunks, and releases the fetcher",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, stopFetching"),
        .timeLimit(.minutes(1))
    )
    func between() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let released = await Self.weakly {
                let fetcher = server.fetcher()
                fetcher.uploadData = nil
                let (arrival, isStopped) = (Gate(), DispatchSemaphore(value: 0))
                fetcher.setUploadDataLength(199_000) { offset, length, respond in
                    if offset == 75_000 {
                        arrival.open()
                        isStopped.wait()
                    }
                    respond(UploadServer.big.dropFirst(Int(offset)).prefix(Int(length)), 199_000, nil)
                }
                fetcher.beginFetch { _, _ in Issue.record("The completion handler was called after a stop.") }
                await arrival.wait()
                fetcher.stopFetching()
                isStopped.signal()
                return fetcher
            }
            #expect(await released.isReleased)
            #expect(server.commands.filter { $0 != "cancel" } == ["upload"])
        }
    }

    @Test(
        "Continues with a query if the app stops the fetcher of a chunk, unlike GTMSessionFetcher",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, chunkFetcher"),
        .timeLimit(.minutes(1))
    )
    func chunk() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let held = Held(program)
            let fetcher = held.server.fetcher()
            async let end = fetcher.end()
            await held.arrival.wait()
            fetcher.chunkFetcher?.stopFetching()
            #expect(await end.text == "done")
            #expect(held.server.commands == ["upload", "upload", "query", "upload", "upload, finalize"])
            #expect(held.server.received == UploadServer.big)
        }
    }

    @Test(
        "Ends if it is stopped during a pause, and releases the fetcher",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, stopFetching"),
        .timeLimit(.minutes(1))
    )
    func paused() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let held = Held(program)
            let released = await Self.weakly {
                let fetcher = held.server.fetcher()
                fetcher.beginFetch { _, _ in Issue.record("The completion handler was called after a stop.") }
                await held.arrival.wait()
                fetcher.pauseFetching()
                while fetcher.chunkFetcher != nil { await Task.yield() }
                fetcher.stopFetching()
                return fetcher
            }
            #expect(await released.isReleased)
            #expect(!held.server.commands.contains("query"))
        }
    }

    @Test(
        "Ends if it is stopped while it waits to repeat a chunk, and releases the fetcher",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, stopFetching"),
        .timeLimit(.minutes(1))
    )
    func waiting() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { number, _ in number == 1 ? .status(.serviceUnavailable) : nil }
            let released = await Self.weakly {
                let fetcher = server.fetcher()
                fetcher.isRetryEnabled = true
                fetcher.beginFetch { _, _ in Issue.record("The completion handler was called after a stop.") }
                await program.network.clock.sleeperCount(reaches: 1)
                fetcher.stopFetching()
                return fetcher
            }
            #expect(await released.isReleased)
            #expect(program.network.clock.sleeperCount == 0)
            #expect(!server.commands.contains("query"))
        }
    }

    /// Returns a weak reference to the fetcher that `body` returns.
    private static func weakly(_ body: () async -> GTMSessionUploadFetcher) async -> WeakReference {
        WeakReference(object: await body())
    }
}

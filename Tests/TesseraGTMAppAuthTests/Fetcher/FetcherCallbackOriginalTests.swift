// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Callbacks of a fetcher", .timeLimit(.minutes(1)))
struct FetcherCallbackOriginalTests {
    /// Returns a queue that the code on it recognizes with the key.
    private static func queue(_ key: DispatchSpecificKey<Int>, _ value: Int) -> DispatchQueue {
        let queue = DispatchQueue(label: "queue \(value)")
        queue.setSpecific(key: key, value: value)
        return queue
    }

    @Test(
        "Calls the completion handler on the main queue by default",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testCallbackQueue")
    )
    func mainQueue() async throws {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        let network = FetcherNetwork(.text())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.callbackQueue = nil
            #expect(fetcher.callbackQueue.label == DispatchQueue.main.label)
            let isMain = await withCheckedContinuation { continuation in
                fetcher.beginFetch { _, _ in
                    continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true)
                }
            }
            #expect(isMain)
        }
    }

    @Test(
        "Calls the completion handler on the queue that is set when the fetch ends",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testCallbackQueue"),
        arguments: [false, true]
    )
    func callbackQueue(_ isChanged: Bool) async throws {
        let (key, gate) = (DispatchSpecificKey<Int>(), TesseraTesting.Gate())
        let network = FetcherNetwork { _ in
            await gate.pass()
            return .text()
        }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.callbackQueue = Self.queue(key, 1)
            let value = await withCheckedContinuation { continuation in
                fetcher.beginFetch { _, _ in continuation.resume(returning: DispatchQueue.getSpecific(key: key)) }
                if isChanged { fetcher.callbackQueue = Self.queue(key, 2) }
                gate.open()
            }
            #expect(value == (isChanged ? 2 : 1))
        }
    }

    @Test(
        "Never calls the completion handler during the call that begins the fetch",
        .original("GTMSessionFetcher GTMSessionFetcher.h beginFetchWithCompletionHandler"),
        arguments: ["", "http://api.example/", FetcherNetwork.url]
    )
    func isAsynchronous(_ url: String) async throws {
        let (network, log) = (FetcherNetwork(.text()), FetcherLog())
        await network.run {
            let fetcher = GTMSessionFetcher(urlString: url)
            let queue = DispatchQueue(label: "suspended")
            queue.suspend()
            fetcher.callbackQueue = queue
            fetcher.beginFetch { log.add($0, $1) }
            fetcher.beginFetch { log.add($0, $1) }
            #expect(log.entries.isEmpty)
            queue.resume()
            await log.count(reaches: 2)
        }
    }

    @Test(
        "Is fetching from its beginning until the completion handler",
        .original("GTMSessionFetcher GTMSessionFetcher.h isFetching")
    )
    func isFetching() async throws {
        let network = FetcherNetwork(.text("", .created))
        try await network.run {
            let fetcher = try network.fetcher()
            #expect(!fetcher.isFetching)
            #expect(fetcher.initialBeginFetchDate == nil)
            let (isFetching, status) = await withCheckedContinuation { continuation in
                fetcher.beginFetch { _, _ in
                    continuation.resume(returning: (fetcher.isFetching, fetcher.statusCode))
                }
                #expect(fetcher.initialBeginFetchDate == network.clock.date)
            }
            #expect(!isFetching)
            #expect(status == 201)
        }
    }

    @Test(
        "Rejects a second beginning while it is fetching, and continues",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay")
    )
    func secondBeginning() async throws {
        let gate = TesseraTesting.Gate()
        let network = FetcherNetwork { _ in
            await gate.pass()
            return .text("hello")
        }
        try await network.run {
            let fetcher = try network.fetcher()
            async let first = fetcher.result()
            await gate.waitForArrival()
            let second = await fetcher.result()
            #expect(second.error?.domain == kGTMSessionFetcherErrorDomain)
            #expect(second.error?.code == GTMSessionFetcherError.downloadFailed.rawValue)
            #expect(fetcher.isFetching)
            gate.open()
            #expect(await first.text == "hello")
            #expect(network.requests.count == 1)
        }
    }

    @Test(
        "Calls each completion handler once when fetchers begin on several threads",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testThreadingStress")
    )
    func severalThreads() async throws {
        let (network, log) = (FetcherNetwork { _ in .text("a") }, FetcherLog())
        try await network.run {
            let service = network.service()
            let url = try #require(URL(string: FetcherNetwork.url))
            await withTaskGroup { group in
                for _ in 0..<100 {
                    group.addTask {
                        let result = await service.fetcher(with: url).result()
                        log.add(result.data, result.error)
                    }
                }
            }
            #expect(log.entries == Array(repeating: "a 0", count: 100))
            #expect(service.numberOfFetchers() == 0)
        }
    }

    @Test(
        "Has its completion handler while it is fetching, which the app can replace",
        .original("GTMSessionFetcher GTMSessionFetcher.h completionHandler")
    )
    func completionHandler() async throws {
        let (gate, log) = (TesseraTesting.Gate(), FetcherLog())
        let network = FetcherNetwork { _ in
            await gate.pass()
            return .text("a")
        }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.completionHandler = { _, _ in log.add("too early") }
            #expect(fetcher.completionHandler == nil)
            fetcher.beginFetch { _, _ in log.add("replaced") }
            #expect(fetcher.completionHandler != nil)
            fetcher.completionHandler = { log.add($0, $1) }
            gate.open()
            await log.count(reaches: 1)
            #expect(log.entries == ["a 0"])
            #expect(fetcher.completionHandler == nil)
        }
    }

    @Test(
        "Keeps the completion handler of a task that waits for the result",
        .original("GTMSessionFetcher GTMSessionFetcher.h completionHandler")
    )
    func waitingTask() async throws {
        let gate = TesseraTesting.Gate()
        let network = FetcherNetwork { _ in
            await gate.pass()
            return .text("a")
        }
        try await network.run {
            let fetcher = try network.fetcher()
            async let data = fetcher.beginFetch()
            await gate.waitForArrival()
            fetcher.completionHandler = { _, _ in Issue.record("The handler was called.") }
            gate.open()
            #expect(try await data == Data("a".utf8))
        }
    }

    private final class Captured: Sendable {}

    @Test(
        "Releases the app's closures when the fetch ends or is stopped",
        .original("GTMSessionFetcher GTMSessionFetcher.m releaseCallbacks"),
        arguments: [false, true]
    )
    func releasesClosures(_ isStopped: Bool) async throws {
        let gate = TesseraTesting.Gate()
        let network = FetcherNetwork { _ in
            await gate.pass()
            return .text()
        }
        try await network.run {
            let fetcher = try network.fetcher()
            weak var object: Captured?
            do {
                let captured = Captured()
                object = captured
                fetcher.retryBlock = { _, _, answer in answer("\(captured)".isEmpty) }
                fetcher.testBlock = nil
                fetcher.accumulateDataBlock = { _ in _ = captured }
                fetcher.receivedProgressBlock = { _, _ in _ = captured }
                fetcher.downloadProgressBlock = { _, _, _ in _ = captured }
                fetcher.sendProgressBlock = { _, _, _ in _ = captured }
                fetcher.willRedirectBlock = { _, request, answer in
                    _ = captured
                    answer(request)
                }
                fetcher.didReceiveResponseBlock = { _, answer in
                    _ = captured
                    answer(.allow)
                }
                fetcher.configurationBlock = { _, _ in _ = captured }
                fetcher.beginFetch { _, _ in _ = captured }
            }
            await gate.waitForArrival()
            #expect(object != nil)
            if isStopped { fetcher.stopFetching() }
            gate.open()
            await fetcher.waitForEnd()
            while object != nil, !Task.isCancelled { await Task.yield() }
            #expect(object == nil)
        }
    }

    @Test(
        "Finishes a fetch that the app does not retain, and is then released",
        .original("GTMSessionFetcher GTMSessionFetcher.h beginFetchWithCompletionHandler"),
        arguments: [false, true]
    )
    func isReleased(_ hasService: Bool) async throws {
        let (gate, log) = (TesseraTesting.Gate(), FetcherLog())
        let network = FetcherNetwork { _ in
            await gate.pass()
            return .text("a")
        }
        try await network.run {
            weak var released: GTMSessionFetcher?
            weak var service: GTMSessionFetcherService?
            do {
                let own = network.service()
                let url = try #require(URL(string: FetcherNetwork.url))
                let fetcher = hasService ? own.fetcher(with: url) : try network.fetcher()
                (released, service) = (fetcher, own)
                fetcher.beginFetch { log.add($0, $1) }
            }
            await gate.waitForArrival()
            #expect(released != nil)
            gate.open()
            await log.count(reaches: 1)
            #expect(log.entries == ["a 0"])
            while released != nil || service != nil, !Task.isCancelled { await Task.yield() }
            #expect(released == nil)
            #expect(service == nil)
        }
    }

    @Test(
        "Posts notifications about the attempt and the completion handler",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testFetch")
    )
    func notifications() async throws {
        let network = FetcherNetwork(.text("a"), .text("b", .notFound))
        try await network.run {
            for invoked in ["invoked a", "invoked b 404"] {
                let fetcher = try network.fetcher()
                let notifications = FetcherNotifications(fetcher)
                _ = await fetcher.result()
                await notifications.log.count(reaches: 3)
                #expect(notifications.log.entries == ["started", "stopped", invoked])
            }
        }
    }

    @Test(
        "Blocks a thread until the completion handler has returned, or the time is over",
        .original("GTMSessionFetcher GTMSessionFetcher.h waitForCompletionWithTimeout")
    )
    func waitForCompletion() async throws {
        let (log, gate) = (FetcherLog(), TesseraTesting.Gate())
        let network = FetcherNetwork { request in
            if request.path == "/gate" { await gate.pass() }
            return .text("a")
        }
        try await network.run {
            let (fetcher, late) = (try network.fetcher(), try network.fetcher("https://api.example/gate"))
            fetcher.beginFetch { log.add($0, $1) }
            late.beginFetch { log.add($0, $1) }
            let (isDone, isLateDone) = await withCheckedContinuation { continuation in
                DispatchQueue.global()
                    .async {
                        let results = (fetcher.isDone(within: 60), late.isDone(within: 0.01))
                        log.add("returned")
                        continuation.resume(returning: results)
                    }
            }
            #expect(isDone)
            #expect(!isLateDone)
            #expect(log.entries == ["a 0", "returned"])
            gate.open()
            await log.count(reaches: 3)
        }
    }
}

/// A protocol through which a test calls a deprecated method without a warning.
private protocol DeprecatedWaiting {
    func waitForCompletion(withTimeout timeoutInSeconds: TimeInterval) -> Bool
}

extension DeprecatedWaiting {
    fileprivate func isDone(within seconds: TimeInterval) -> Bool { self.waitForCompletion(withTimeout: seconds) }
}

extension GTMSessionFetcher: DeprecatedWaiting {}

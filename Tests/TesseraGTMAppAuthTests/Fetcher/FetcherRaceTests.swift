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
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

/// Races, each of which is repeated without waiting for particular moments.
@Suite("Races of a fetcher", .timeLimit(.minutes(2)))
struct FetcherRaceTests {
    private static let repetitions = Repetitions.count("TESSERA_RACE_COUNT", default: 1_000)
    private static let cancelled = GTMSessionFetcherError.userCancelled.rawValue

    /// Begins and stops a fetcher at the same time, and checks that the completion handler is called once.
    private static func beginAndStop(_ fetcher: GTMSessionFetcher) async -> FetcherResult {
        let log = FetcherLog()
        fetcher.stopFetchingTriggersCompletionHandler = true
        async let stopped: Void = {
            await Task.yield()
            fetcher.stopFetching()
        }()
        let result = await withCheckedContinuation { continuation in
            let first = Mutex<CheckedContinuation<FetcherResult, Never>?>(continuation)
            fetcher.beginFetch { data, error in
                log.add(data, error)
                first.withLock { $0.take() }?.resume(returning: .init(data: data, error: error as NSError?))
            }
        }
        await stopped
        // A second call would be in the queue by now, because the fetcher has ended and has been stopped.
        fetcher.callbackQueue.sync {}
        #expect(log.entries.count == 1)
        #expect(!fetcher.isFetching)
        return result
    }

    @Test(
        "Calls the completion handler once if a fetch is stopped when it ends",
        .original("GTMSessionFetcher GTMSessionFetcher.h stopFetchingTriggersCompletionHandler")
    )
    func stopAndEnd() async throws {
        let network = FetcherNetwork { _ in .text("a") }
        try await network.run {
            for _ in 0..<Self.repetitions {
                let result = await Self.beginAndStop(try network.fetcher())
                #expect(result.text == "a" || result.error?.code == Self.cancelled)
            }
        }
    }

    @Test(
        "Sends nothing after a stop between attempts",
        .original("GTMSessionFetcher GTMSessionFetcher.m destroyRetryTimer")
    )
    func stopAndRetry() async throws {
        let count = Mutex(0)
        let network = FetcherNetwork { _ in
            count.withLock { $0 += 1 }
            // Waits end at once, so that the retries would otherwise occupy the thread.
            await Task.yield()
            return .text("", .serviceUnavailable)
        }
        try await network.run {
            for _ in 0..<Self.repetitions {
                let fetcher = try network.fetcher()
                fetcher.isRetryEnabled = true
                fetcher.minRetryInterval = 1
                fetcher.maxRetryInterval = 1e8
                fetcher.retryFactor = 1
                let log = FetcherLog()
                fetcher.beginFetch { log.add($0, $1) }
                await Task.yield()
                fetcher.stopFetching()
                let sent = count.withLock { $0 }
                #expect(!fetcher.isFetching)
                weak let released = fetcher
                fetcher.callbackQueue.sync {}
                _ = consume fetcher
                while released != nil, !Task.isCancelled { await Task.yield() }
                // The request that was about to be sent can follow the stop, but no other one.
                #expect(count.withLock { $0 } <= sent + 1)
                #expect(log.entries.isEmpty)
            }
        }
    }

    @Test(
        "Never sends a request with a test block that is stopped",
        .original("GTMSessionFetcher GTMSessionFetcher.m simulateFetchForTestBlock")
    )
    func stopAndTestBlock() async throws {
        let network = FetcherNetwork { _ in
            Issue.record("A request was sent.")
            return .text()
        }
        try await network.run {
            for index in 0..<Self.repetitions {
                let fetcher = try network.fetcher()
                fetcher.isRetryEnabled = true
                fetcher.authorizer = NumberingAuthorizer(index.isMultiple(of: 2) ? .later : .immediate)
                fetcher.testBlock = { fetcher, answer in
                    let url = fetcher.request?.url ?? URL(filePath: "/")
                    answer(HTTPURLResponse(url: url, statusCode: 503, httpVersion: nil, headerFields: nil), Data(), nil)
                }
                _ = await Self.beginAndStop(fetcher)
            }
        }
    }

    @Test(
        "Gives a place for a host back if a fetch is stopped when it begins",
        .original("GTMSessionFetcher GTMSessionFetcherService.h stopAllFetchers"),
        arguments: [1, 2] as [UInt]
    )
    func stopAndBegin(_ limit: UInt) async throws {
        let network = FetcherNetwork { _ in .text("a") }
        try await network.run {
            let service = network.service()
            service.maxRunningFetchersPerHost = limit
            let url = try #require(URL(string: FetcherNetwork.url))
            for _ in 0..<Self.repetitions {
                let fetchers = (0..<3).map { _ in service.fetcher(with: url) }
                async let first = Self.beginAndStop(fetchers[0])
                async let second = Self.beginAndStop(fetchers[1])
                _ = await Self.beginAndStop(fetchers[2])
                _ = await (first, second)
                #expect(service.numberOfFetchers() == 0)
            }
            #expect(await service.fetcher(with: url).result().text == "a")
        }
    }

    @Test(
        "Calls each completion handler once if all fetchers are stopped when they end",
        .original("GTMSessionFetcher GTMSessionFetcherService.h stopAllFetchers")
    )
    func stopAll() async throws {
        let network = FetcherNetwork { _ in .text("a") }
        try await network.run {
            let url = try #require(URL(string: FetcherNetwork.url))
            for _ in 0..<Self.repetitions {
                let (service, log) = (network.service(), FetcherLog())
                service.maxRunningFetchersPerHost = 1
                service.stopFetchingTriggersCompletionHandler = true
                for _ in 0..<3 { service.fetcher(with: url).beginFetch { log.add($0, $1) } }
                await Task.yield()
                service.stopAllFetchers()
                await log.count(reaches: 3)
                service.callbackQueue.sync {}
                #expect(log.entries.count == 3)
                #expect(Set(log.entries).isSubset(of: ["a 0", "nil \(Self.cancelled)"]))
                #expect(service.numberOfFetchers() == 0)
            }
        }
    }

    @Test(
        "Calls each completion handler once if a fetcher begins twice",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay")
    )
    func beginTwice() async throws {
        let network = FetcherNetwork { _ in .text("a") }
        try await network.run {
            for _ in 0..<Self.repetitions {
                let fetcher = try network.fetcher()
                async let first = fetcher.result()
                let second = await fetcher.result()
                let results = [await first, second]
                #expect(results.contains { $0.text == "a" })
                for result in results {
                    #expect(result.text == "a" || result.error?.code == GTMSessionFetcherError.downloadFailed.rawValue)
                }
            }
        }
    }

    @Test(
        "Continues once if a closure decides on two threads and the fetch is stopped",
        .original("GTMSessionFetcher GTMSessionFetcher.h willRedirectBlock")
    )
    func answers() async throws {
        let network = FetcherNetwork { $0.path == "/files" ? .redirect(to: "/other") : .text("a") }
        try await network.run {
            for _ in 0..<Self.repetitions {
                let fetcher = try network.fetcher()
                fetcher.willRedirectBlock = { _, request, answer in
                    FetcherDecision { answer(request) }.supplyOnAnotherThread()
                    answer(request)
                }
                let result = await Self.beginAndStop(fetcher)
                #expect(result.text == "a" || result.error?.code == Self.cancelled)
            }
        }
    }
}

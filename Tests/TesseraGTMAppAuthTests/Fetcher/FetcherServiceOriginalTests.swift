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

@Suite("Limits of a fetcher service", .timeLimit(.minutes(1)))
struct FetcherServiceOriginalTests {
    /// A network whose responses wait for a gate, and the paths of the requests in their order.
    private final class GatedNetwork: Sendable {
        let gate = TesseraTesting.Gate()
        let arrivals = FetcherLog()
        let network: FetcherNetwork

        init() {
            let (gate, arrivals) = (self.gate, self.arrivals)
            self.network = FetcherNetwork { request in
                arrivals.add(request.path)
                await gate.pass()
                return .text("a")
            }
        }
    }

    private static func url(_ path: String, host: String = "api.example") throws -> URL {
        try #require(URL(string: "https://\(host)/\(path)"))
    }

    @Test(
        "Runs as many fetchers for a host as permitted",
        .original("GTMSessionFetcher GTMSessionFetcherService.h maxRunningFetchersPerHost"),
        arguments: [(10, 10), (2, 2), (0, 12), (UInt.max, 12)] as [(UInt, UInt)]
    )
    func limit(_ limit: UInt, _ running: UInt) async throws {
        let (gated, log) = (GatedNetwork(), FetcherLog())
        try await gated.network.run {
            let service = gated.network.service()
            #expect(service.maxRunningFetchersPerHost == 10)
            service.maxRunningFetchersPerHost = limit
            for index in 0..<12 { service.fetcher(with: try Self.url("\(index)")).beginFetch { log.add($0, $1) } }
            #expect(service.numberOfFetchers() == 12)
            #expect(service.numberOfRunningFetchers() == running)
            #expect(service.numberOfDelayedFetchers() == 12 - running)
            await gated.arrivals.count(reaches: Int(running))
            #expect(gated.arrivals.entries.count == running)
            gated.gate.open()
            await log.count(reaches: 12)
            #expect(log.entries == Array(repeating: "a 0", count: 12))
            #expect(service.numberOfFetchers() == 0)
        }
    }

    @Test(
        "Never runs more fetchers for a host than permitted",
        .original("GTMSessionFetcher GTMSessionFetcherService.h maxRunningFetchersPerHost")
    )
    func neverExceedsLimit() async throws {
        let counts = Mutex((current: 0, most: 0))
        let network = FetcherNetwork { _ in
            counts.withLock { counts in
                counts.current += 1
                counts.most = max(counts.most, counts.current)
            }
            for _ in 0..<10 { await Task.yield() }
            counts.withLock { $0.current -= 1 }
            return .text("a")
        }
        try await network.run {
            let service = network.service()
            service.maxRunningFetchersPerHost = 2
            let fetchers = try (0..<50).map { service.fetcher(with: try Self.url("\($0)")) }
            await withTaskGroup { group in
                for fetcher in fetchers { group.addTask { _ = await fetcher.result() } }
            }
            #expect(network.requests.count == 50)
            #expect((1...2).contains(counts.withLock { $0.most }))
        }
    }

    @Test(
        "Delays a fetcher until another one for its host ends",
        .original("GTMSessionFetcher GTMSessionFetcherService.h isDelayingFetcher")
    )
    func delays() async throws {
        let (gated, log) = (GatedNetwork(), FetcherLog())
        try await gated.network.run {
            let service = gated.network.service()
            service.maxRunningFetchersPerHost = 1
            let running = service.fetcher(with: try Self.url("a"))
            let delayed = service.fetcher(with: try Self.url("b"))
            let other = service.fetcher(with: try Self.url("c", host: "other.example"))
            for fetcher in [running, delayed, other] { fetcher.beginFetch { log.add($0, $1) } }
            #expect([running, delayed, other].map { service.isDelaying($0) } == [false, true, false])
            let delays = [running, delayed, other].map { service.isDelaying($0) }
            #expect(delays == [false, true, false])
            #expect(service.runningFetchersByHost?.keys.sorted() == ["api.example", "other.example"])
            #expect(service.delayedFetchersByHost?.keys.sorted() == ["api.example"])
            #expect(service.delayedFetchersByHost?["api.example"]?.first as? GTMSessionFetcher === delayed)
            #expect(service.issuedFetchers()?.count == 3)
            #expect(service.issuedFetchers(withRequest: try Self.url("b"))?.first === delayed)
            #expect(service.issuedFetchers(withRequest: try Self.url("d")) == nil)
            await gated.arrivals.count(reaches: 2)
            #expect(gated.arrivals.entries.sorted() == ["/a", "/c"])
            gated.gate.open()
            await log.count(reaches: 3)
            #expect(!service.isDelaying(delayed))
            #expect(service.runningFetchersByHost == nil)
            #expect(service.delayedFetchersByHost == nil)
            #expect(service.issuedFetchers() == nil)
        }
    }

    @Test(
        "Begins delayed fetchers in the order of their priority",
        .original("GTMSessionFetcher GTMSessionFetcher.h servicePriority")
    )
    func priority() async throws {
        let (gated, log) = (GatedNetwork(), FetcherLog())
        try await gated.network.run {
            let service = gated.network.service()
            service.maxRunningFetchersPerHost = 1
            let fetchers = [
                ("running", 0), ("third", 3), ("first", 1), ("fourth", 3), ("second", 1), ("urgent", Int.min),
            ]
            for (path, priority) in fetchers {
                let fetcher = service.fetcher(with: try Self.url(path))
                #expect(fetcher.servicePriority == 0)
                fetcher.servicePriority = priority
                fetcher.beginFetch { log.add($0, $1) }
            }
            await gated.arrivals.count(reaches: 2)
            #expect(gated.arrivals.entries.sorted() == ["/running", "/urgent"])
            gated.gate.open()
            await log.count(reaches: 6)
            #expect(gated.arrivals.entries.dropFirst(2) == ["/first", "/second", "/third", "/fourth"])
        }
    }

    @Test(
        "Uses the host of the request, or another one that the app sets",
        .original("GTMSessionFetcher GTMSessionFetcherService.m fetcherShouldBeginFetching"),
        arguments: [
            ("http://localhost:1/", "localhost"), ("http://[::1]:1/", "::1"), ("file:///tmp/a", "localhost"),
            ("https://api.example/", "api.example"), ("data:,a", nil),
        ] as [(String, String?)]
    )
    func hosts(_ url: String, _ host: String?) throws {
        let service = GTMSessionFetcherService()
        let fetcher = service.fetcher(withURLString: url)
        #expect(fetcher.serviceHost == host)
        #expect(service.fetcherShouldBeginFetching(fetcher))
        #expect(service.runningFetchersByHost?.keys.first == host)
        service.fetcherDidStop(fetcher)
        #expect(service.numberOfFetchers() == 0)
        fetcher.serviceHost = "own"
        #expect(service.fetcherShouldBeginFetching(fetcher))
        #expect(service.runningFetchersByHost?.keys.first == "own")
        service.fetcherDidStop(fetcher)
    }

    @Test(
        "Stops fetchers that run or wait, without their completion handlers",
        .original("GTMSessionFetcher GTMSessionFetcherService.h stopAllFetchers"),
        arguments: [false, true]
    )
    func stopAll(_ hasCallbacks: Bool) async throws {
        let (gated, log) = (GatedNetwork(), FetcherLog())
        try await gated.network.run {
            let service = gated.network.service()
            service.maxRunningFetchersPerHost = 1
            service.stopFetchingTriggersCompletionHandler = hasCallbacks
            let fetchers = try (0..<3).map { service.fetcher(with: try Self.url("\($0)")) }
            for fetcher in fetchers { fetcher.beginFetch { log.add($0, $1) } }
            await gated.arrivals.count(reaches: 1)
            service.stopAllFetchers()
            #expect(service.numberOfFetchers() == 0)
            #expect(fetchers.allSatisfy { !$0.isFetching })
            gated.gate.open()
            // Fetchers that begin later are not affected.
            #expect(await service.fetcher(with: try Self.url("later")).result().text == "a")
            #expect(log.entries == (hasCallbacks ? Array(repeating: "nil -7", count: 3) : []))
            #expect(gated.arrivals.entries == ["/0", "/later"])
        }
    }

    @Test(
        "Stops results that wait for the callback queue",
        .original("GTMSessionFetcher GTMSessionFetcherService.m stoppedAllFetchersDate")
    )
    func stopAllResults() async throws {
        let (network, log) = (FetcherNetwork { _ in .text("a") }, FetcherLog())
        try await network.run {
            let service = network.service()
            let fetcher = service.fetcher(with: try Self.url("a"))
            let queue = DispatchQueue(label: "suspended")
            queue.suspend()
            fetcher.callbackQueue = queue
            fetcher.beginFetch { log.add($0, $1) }
            await fetcher.waitForEnd()
            service.stopAllFetchers()
            queue.resume()
            // The queue is empty when the result of another fetcher has passed through it.
            let later = service.fetcher(with: try Self.url("b"))
            later.callbackQueue = queue
            #expect(await later.result().text == "a")
            #expect(log.entries.isEmpty)
        }
    }

    @Test(
        "Never begins a delayed fetcher that is stopped",
        .original("GTMSessionFetcher GTMSessionFetcher.h stopFetching")
    )
    func stopDelayed() async throws {
        let (gated, log) = (GatedNetwork(), FetcherLog())
        try await gated.network.run {
            let service = gated.network.service()
            service.maxRunningFetchersPerHost = 1
            let fetchers = try ["a", "b", "c"].map { service.fetcher(with: try Self.url($0)) }
            for fetcher in fetchers { fetcher.beginFetch { log.add($0, $1) } }
            fetchers[1].stopFetching()
            #expect(!service.isDelaying(fetchers[1]))
            #expect(service.numberOfDelayedFetchers() == 1)
            gated.gate.open()
            await log.count(reaches: 2)
            #expect(gated.arrivals.entries == ["/a", "/c"])
        }
    }

    @Test(
        "Finishes delayed fetchers although the app releases the service",
        .original("GTMSessionFetcher GTMSessionFetcher.h service")
    )
    func releasedService() async throws {
        let (gated, log) = (GatedNetwork(), FetcherLog())
        try await gated.network.run {
            weak var released: GTMSessionFetcherService?
            do {
                let service = gated.network.service()
                released = service
                service.maxRunningFetchersPerHost = 1
                for path in ["a", "b"] { service.fetcher(with: try Self.url(path)).beginFetch { log.add($0, $1) } }
            }
            gated.gate.open()
            await log.count(reaches: 2)
            #expect(log.entries == ["a 0", "a 0"])
            while released != nil, !Task.isCancelled { await Task.yield() }
            #expect(released == nil)
        }
    }

    @Test(
        "Blocks a thread until all completion handlers have returned, or the time is over",
        .original("GTMSessionFetcher GTMSessionFetcherService.h waitForCompletionOfAllFetchersWithTimeout")
    )
    func waitForAll() async throws {
        let (gated, log) = (GatedNetwork(), FetcherLog())
        try await gated.network.run {
            let service = gated.network.service()
            for path in ["a", "b"] { service.fetcher(with: try Self.url(path)).beginFetch { log.add($0, $1) } }
            let gate = gated.gate
            let results = await withCheckedContinuation { continuation in
                DispatchQueue.global()
                    .async {
                        let early = service.areDone(within: 0.01)
                        gate.open()
                        let late = service.areDone(within: 60)
                        log.add("returned")
                        continuation.resume(returning: [early, late])
                    }
            }
            #expect(results == [false, true])
            #expect(log.entries == ["a 0", "a 0", "returned"])
        }
    }
}

/// A protocol through which a test calls a deprecated method without a warning.
private protocol DeprecatedServiceWaiting {
    func waitForCompletionOfAllFetchers(withTimeout timeoutInSeconds: TimeInterval) -> Bool
}

extension DeprecatedServiceWaiting {
    fileprivate func areDone(within seconds: TimeInterval) -> Bool {
        self.waitForCompletionOfAllFetchers(withTimeout: seconds)
    }
}

extension GTMSessionFetcherService: DeprecatedServiceWaiting {}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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

@Suite("Retries of a fetcher", .timeLimit(.minutes(1)))
struct FetcherRetryOriginalTests {
    @Test("Does not retry by default", .original("GTMSessionFetcher GTMSessionFetcher.h isRetryEnabled"))
    func disabled() async throws {
        let network = FetcherNetwork { _ in .text("", .serviceUnavailable) }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.retryBlock = { _, _, _ in Issue.record("The block was called.") }
            #expect(await fetcher.result().error?.code == 503)
            #expect(network.requests.count == 1)
            #expect(fetcher.retryCount == 0)
        }
    }

    @Test(
        "Retries after some statuses",
        .original("GTMSessionFetcher GTMSessionFetcher.h isRetryEnabled"),
        arguments: [
            (408, true), (502, true), (503, true), (504, true), (304, false), (400, false), (401, false), (404, false),
            (429, false), (500, false), (501, false),
        ]
    )
    func statuses(_ status: Int, _ isRetried: Bool) async throws {
        let network = FetcherNetwork(.text("", .init(code: status)), .text("a"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            #expect(await fetcher.result().error?.code == (isRetried ? nil : status))
            #expect(fetcher.retryCount == (isRetried ? 1 : 0))
            #expect(network.requests.count == (isRetried ? 2 : 1))
        }
    }

    @Test(
        "Retries after a timeout and a lost connection",
        .original("GTMSessionFetcher GTMSessionFetcher.h isRetryEnabled"),
        arguments: [
            (TransportError.Code.timedOut, true), (.connectionLost, true), (.cannotConnect, false), (.tls, false),
            (.nameResolution, false), (.insecureURL, false),
        ]
    )
    func networkFailures(_ code: TransportError.Code, _ isRetried: Bool) async throws {
        let network = FetcherNetwork { _ in throw TransportError(code) }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.minRetryInterval = 1
            fetcher.maxRetryInterval = 2
            let error = await fetcher.result().error
            #expect(error?.domain == NSURLErrorDomain)
            #expect(network.requests.count == (isRetried ? 2 : 1))
            let count = error?.userInfo[kGTMSessionFetcherNumberOfRetriesDoneKey] as? Int
            #expect(count == (isRetried ? 1 : nil))
        }
    }

    @Test("Waits longer before each retry", .original("GTMSessionFetcher GTMSessionFetcher.h maxRetryInterval"))
    func waits() async throws {
        let (clock, times) = (TestClock(), FetcherLog())
        let network = FetcherNetwork(clock: clock) { _ in
            times.add("\(clock.now.offset / .seconds(1))")
            return .text("busy", .serviceUnavailable)
        }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.minRetryInterval = 1
            fetcher.maxRetryInterval = 5
            let begin = clock.date
            fetcher.retryBlock = { suggestion, _, answer in
                times.add("next \(fetcher.nextRetryInterval)")
                answer(suggestion)
            }
            let result = await fetcher.result()
            #expect(times.entries == ["0.0", "next 1.0", "1.0", "next 2.0", "3.0", "next 4.0", "7.0"])
            #expect(fetcher.retryCount == 3)
            #expect(fetcher.nextRetryInterval == 5)
            #expect(fetcher.initialBeginFetchDate == begin)
            #expect(result.text == "busy")
            #expect(result.error?.code == 503)
            #expect(result.error?.userInfo[kGTMSessionFetcherNumberOfRetriesDoneKey] as? Int == 3)
            #expect(result.error?.userInfo[kGTMSessionFetcherElapsedIntervalWithRetriesKey] as? TimeInterval == 7)
            #expect(result.error?.userInfo[kGTMSessionFetcherStatusDataKey] as? Data == Data("busy".utf8))
        }
    }

    @Test(
        "Ends the retries when three times the longest wait has passed",
        .original("GTMSessionFetcher GTMSessionFetcher.h maxRetryInterval")
    )
    func slowServer() async throws {
        let clock = TestClock()
        let network = FetcherNetwork(clock: clock) { _ in
            clock.advance(by: .seconds(10))
            return .text("", .requestTimeout)
        }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.minRetryInterval = 1
            fetcher.maxRetryInterval = 5
            #expect(await fetcher.result().error?.code == 408)
            #expect(fetcher.retryCount == 1)
        }
    }

    @Test(
        "Ignores changes of the wall clock",
        .original("GTMSessionFetcher GTMSessionFetcher.h maxRetryInterval")
    )
    func wallClock() async throws {
        let (clock, count) = (TestClock(), FetcherLog())
        let network = FetcherNetwork(clock: clock) { _ in
            count.add("request")
            let days = count.entries.count.isMultiple(of: 2) ? -2.0 : 1.0
            clock.setWallClock(to: clock.date.addingTimeInterval(days * 86_400))
            return .text("", .serviceUnavailable)
        }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.minRetryInterval = 1
            fetcher.maxRetryInterval = 5
            _ = await fetcher.result()
            #expect(fetcher.retryCount == 3)
        }
    }

    @Test("Lets the app decide about a retry", .original("GTMSessionFetcher GTMSessionFetcher.h retryBlock"))
    func retryBlock() async throws {
        let (network, log) = (FetcherNetwork { _ in .text("a", .internalServerError) }, FetcherLog())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.maxRetryInterval = 10
            fetcher.retryBlock = { suggestion, error, answer in
                let userInfo = (error as NSError?)?.userInfo
                let data = userInfo?[kGTMSessionFetcherStatusDataKey] as? Data
                let type = userInfo?[kGTMSessionFetcherStatusDataContentTypeKey] as? String
                log.add("\(suggestion) \(data?.count ?? 0) \(type ?? "")")
                let isRetried = fetcher.retryCount < 2
                FetcherDecision { answer(isRetried) }.supplyOnAnotherThread()
            }
            #expect(await fetcher.result().error?.code == 500)
            #expect(fetcher.retryCount == 2)
            #expect(network.requests.count == 3)
            #expect(log.entries == Array(repeating: "false 1 text/plain", count: 3))
        }
    }

    @Test(
        "Does not retry if the app prevents it",
        .original("GTMSessionFetcher GTMSessionFetcher.h retryBlock"),
        arguments: [false, true]
    )
    func preventedRetry(_ answers: Bool) async throws {
        let network = FetcherNetwork { _ in .text("", .serviceUnavailable) }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            // An app that never decides must not prevent the end of the fetch either.
            fetcher.retryBlock = { _, _, answer in if answers { answer(false) } }
            #expect(await fetcher.result().error?.code == 503)
            #expect(fetcher.retryCount == 0)
            #expect(network.requests.count == 1)
        }
    }

    @Test(
        "Sends the request that the app sets for the retry",
        .original("GTMSessionFetcher GTMSessionFetcher.h retryBlock")
    )
    func changedRequest() async throws {
        let network = FetcherNetwork { $0.path == "/good" ? .text("a") : .text("", .badRequest) }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.authorizer = NumberingAuthorizer()
            fetcher.retryBlock = { _, _, answer in
                fetcher.request?.url = URL(string: "https://api.example/good")
                fetcher.setRequestValue("b", forHTTPHeaderField: "X-A")
                answer(true)
            }
            #expect(await fetcher.result().text == "a")
            #expect(fetcher.retryCount == 1)
            #expect(fetcher.request?.url?.path() == "/good")
            #expect(network.requests.map(\.authorization) == ["Own 1", "Own 2"])
            let name = try #require(HTTPField.Name("X-A"))
            #expect(network.requests.map { $0.head.headerFields[name] } == [nil, "b"])
        }
    }

    @Test(
        "Has intervals that depend on the method and on chance",
        .original("GTMSessionFetcher GTMSessionFetcher.h minRetryInterval"),
        arguments: [("GET", 60), ("HEAD", 60), ("POST", 600), ("DELETE", 600)] as [(String, Double)]
    )
    func defaultIntervals(_ method: String, _ interval: Double) async throws {
        let network = FetcherNetwork(.text())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.request?.httpMethod = method
            fetcher.isRetryEnabled = true
            #expect(fetcher.maxRetryInterval == -1)
            #expect((1...2).contains(fetcher.minRetryInterval))
            #expect(fetcher.minRetryInterval == fetcher.minRetryInterval)
            #expect(fetcher.retryFactor == 2)
            _ = await fetcher.result()
            #expect(fetcher.maxRetryInterval == interval)
        }
    }

    @Test(
        "Resets the intervals and the factor when retries are enabled or disabled",
        .original("GTMSessionFetcher GTMSessionFetcher.m setRetryEnabled"),
        arguments: [false, true]
    )
    func reset(_ isEnabled: Bool) {
        let fetcher = GTMSessionFetcher()
        fetcher.minRetryInterval = 30
        fetcher.maxRetryInterval = 40
        fetcher.retryFactor = 3
        #expect(fetcher.minRetryInterval == 30)
        #expect(fetcher.maxRetryInterval == 40)
        fetcher.isRetryEnabled = isEnabled
        #expect((1...2).contains(fetcher.minRetryInterval))
        #expect(fetcher.maxRetryInterval == -1)
        #expect(fetcher.retryFactor == 2)
    }

    @Test(
        "Chooses another first wait if it is set to 0 or less",
        .original("GTMSessionFetcher GTMSessionFetcher.h minRetryInterval"),
        arguments: [0, -1, .nan] as [Double]
    )
    func randomInterval(_ interval: Double) {
        let fetcher = GTMSessionFetcher()
        let values = (0..<20)
            .map { _ in
                fetcher.minRetryInterval = interval
                return fetcher.minRetryInterval
            }
        #expect(values.allSatisfy { (1...2).contains($0) })
        #expect(Set(values).count > 1)
    }

    @Test(
        "Waits as long as the server requires",
        .original("GTMSessionFetcher GTMSessionFetcher.m nextRetryInterval"),
        arguments: [("3", 3), ("Tue, 14 Nov 2023 22:13:23 GMT", 3), ("0", 1), ("soon", 1)] as [(String, Double)]
    )
    func retryAfter(_ field: String, _ interval: Double) async throws {
        let (clock, times) = (TestClock(), FetcherLog())
        let network = FetcherNetwork(clock: clock) { _ in
            times.add("\(clock.now.offset / .seconds(1))")
            guard times.entries.count < 3 else { return .text("a") }
            return .text("", .serviceUnavailable, [.retryAfter: field])
        }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.minRetryInterval = 1
            fetcher.maxRetryInterval = 2
            fetcher.retryBlock = { suggestion, _, answer in
                times.add("next \(fetcher.nextRetryInterval)")
                answer(suggestion)
            }
            #expect(await fetcher.result().text == "a")
            #expect(times.entries == ["0.0", "next \(interval)", "\(interval)"])
        }
    }

    @Test(
        "Waits as long as the server requires with any status, unlike GTMSessionFetcher",
        .original("GTMSessionFetcher GTMSessionFetcher.m nextRetryInterval"),
        arguments: [408, 502, 504]
    )
    func retryAfterOtherStatus(_ status: Int) async throws {
        let clock = TestClock()
        let network = FetcherNetwork(clock: clock) { _ in
            guard clock.now.offset == .zero else { return .text("a") }
            return .text("", .init(code: status), [.retryAfter: "3"])
        }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.minRetryInterval = 1
            fetcher.maxRetryInterval = 2
            #expect(await fetcher.result().text == "a")
            #expect(clock.now.offset == .seconds(3))
        }
    }

    @Test(
        "Is fetching while it waits, and sends nothing if it is stopped",
        .original("GTMSessionFetcher GTMSessionFetcher.m destroyRetryTimer"),
        arguments: [false, true]
    )
    func stopDuringWait(_ hasCallback: Bool) async throws {
        let network = FetcherNetwork(endsWaits: false) { _ in .text("", .serviceUnavailable) }
        let log = FetcherLog()
        try await network.run {
            let fetcher = try network.fetcher()
            let notifications = FetcherNotifications(fetcher)
            fetcher.isRetryEnabled = true
            fetcher.stopFetchingTriggersCompletionHandler = hasCallback
            fetcher.beginFetch { log.add($0, $1) }
            await network.clock.sleeperCount(reaches: 1)
            #expect(fetcher.isFetching)
            fetcher.stopFetching()
            #expect(!fetcher.isFetching)
            let expected = ["started", "stopped", "wait", "waited"] + (hasCallback ? ["invoked -7"] : [])
            await notifications.log.count(reaches: expected.count)
            #expect(notifications.log.entries.sorted() == expected.sorted())
            network.clock.advance(by: .seconds(100))
            fetcher.callbackQueue.sync {}
            #expect(log.entries == (hasCallback ? ["nil -7"] : []))
            #expect(network.requests.count == 1)
        }
    }

    @Test(
        "Accepts every number as an interval or a factor",
        .original("GTMSessionFetcher GTMSessionFetcher.h retryFactor"),
        arguments: [0, -1, 1e300, .infinity, .nan] as [Double]
    )
    func numbers(_ number: Double) async throws {
        let network = FetcherNetwork(
            .text("", .serviceUnavailable, [.retryAfter: "1"]),
            .text("", .serviceUnavailable),
            .text("a")
        )
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.retryFactor = number
            fetcher.maxRetryInterval = number
            fetcher.retryBlock = { _, _, answer in answer(fetcher.retryCount < 2) }
            let result = await fetcher.result()
            #expect(result.text == "a" || result.error?.code == 503)
        }
    }
}

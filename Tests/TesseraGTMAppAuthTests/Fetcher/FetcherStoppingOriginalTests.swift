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

@Suite("Stopping a fetcher", .timeLimit(.minutes(1)))
struct FetcherStoppingOriginalTests {
    private static let cancelled = GTMSessionFetcherError.userCancelled.rawValue

    /// A network whose responses wait for the gate.
    private static func network(_ gate: TesseraTesting.Gate) -> FetcherNetwork {
        FetcherNetwork { _ in
            await gate.pass()
            return .text("a")
        }
    }

    @Test(
        "Does not call the completion handler",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testCancelFetchWithoutCallback")
    )
    func withoutCallback() async throws {
        let (gate, log) = (TesseraTesting.Gate(), FetcherLog())
        let network = Self.network(gate)
        try await network.run {
            try await released(try network.fetcher()) { fetcher in
                fetcher.beginFetch { log.add($0, $1) }
                await gate.waitForArrival()
                fetcher.stopFetching()
                #expect(!fetcher.isFetching)
                #expect(fetcher.completionHandler == nil)
                gate.open()
            }
            #expect(log.entries.isEmpty)
        }
    }

    @Test(
        "Does not pass a result that waits for the callback queue",
        .original("GTMSessionFetcher GTMSessionFetcher.m invokeOnCallbackQueue")
    )
    func withWaitingResult() async throws {
        let (network, log) = (FetcherNetwork(.text("a")), FetcherLog())
        try await network.run {
            try await released(try network.fetcher()) { fetcher in
                let queue = DispatchQueue(label: "suspended")
                queue.suspend()
                fetcher.callbackQueue = queue
                fetcher.beginFetch { log.add($0, $1) }
                await fetcher.waitForEnd()
                fetcher.stopFetching()
                queue.resume()
            }
            #expect(log.entries.isEmpty)
        }
    }

    @Test(
        "Calls the completion handler with an error if the app wants it",
        .original("GTMSessionFetcher GTMSessionFetcher.h stopFetchingTriggersCompletionHandler")
    )
    func withCallback() async throws {
        let (gate, log) = (TesseraTesting.Gate(), FetcherLog())
        let network = Self.network(gate)
        try await network.run {
            try await released(try network.fetcher()) { fetcher in
                fetcher.stopFetchingTriggersCompletionHandler = true
                async let result = fetcher.result()
                await gate.waitForArrival()
                fetcher.stopFetching()
                let (data, error) = (await result.data, await result.error)
                #expect(data == nil)
                #expect(error?.domain == kGTMSessionFetcherErrorDomain)
                #expect(error?.code == Self.cancelled)
                #expect(error?.localizedDescription == "Operation cancelled")
                log.add("called")
                gate.open()
            }
            #expect(log.entries == ["called"])
        }
    }

    @Test(
        "Throws an error to a task that waits for the result",
        .original("GTMSessionFetcher GTMSessionFetcher.h stopFetching")
    )
    func withWaitingTask() async throws {
        let gate = TesseraTesting.Gate()
        let network = Self.network(gate)
        try await network.run {
            let fetcher = try network.fetcher()
            async let error = failure { try await fetcher.beginFetch() }
            await gate.waitForArrival()
            fetcher.stopFetching()
            #expect(await error?.code == Self.cancelled)
            gate.open()
        }
    }

    @Test(
        "Sends nothing if it is stopped while the authorizer works",
        .original("GTMSessionFetcher GTMSessionFetcher.h stopFetchingTriggersCompletionHandler"),
        arguments: [false, true]
    )
    func duringAuthorization(_ hasCallback: Bool) async throws {
        let (network, log) = (FetcherNetwork(.text("a")), FetcherLog())
        let authorizer = NumberingAuthorizer(.never)
        try await network.run {
            try await released(try network.fetcher()) { fetcher in
                fetcher.authorizer = authorizer
                fetcher.stopFetchingTriggersCompletionHandler = hasCallback
                fetcher.bodyData = Data("b".utf8)
                fetcher.beginFetch { log.add($0, $1) }
                await authorizer.arrival.pass()
                fetcher.stopFetching()
                #expect(fetcher.authorizer == nil)
            }
            #expect(log.entries == (hasCallback ? ["nil \(Self.cancelled)"] : []))
            #expect(network.requests.isEmpty)
            #expect(authorizer.stops.map(\.httpMethod) == ["POST"])
            #expect(authorizer.stops.map { $0.url?.absoluteString } == [FetcherNetwork.url])
        }
    }

    @Test(
        "Never fetches again",
        .original("GTMSessionFetcher GTMSessionFetcher.h stopFetching"),
        arguments: [false, true]
    )
    func beforeBeginning(_ hasCallback: Bool) async throws {
        let (network, log) = (FetcherNetwork(.text("a")), FetcherLog())
        try await network.run {
            try await released(try network.fetcher()) { fetcher in
                fetcher.stopFetchingTriggersCompletionHandler = hasCallback
                fetcher.stopFetching()
                fetcher.beginFetch { log.add($0, $1) }
                #expect(!fetcher.isFetching)
                let error = await failure { try await fetcher.beginFetch() }
                #expect(error?.code == Self.cancelled)
            }
            #expect(log.entries == (hasCallback ? ["nil \(Self.cancelled)"] : []))
            #expect(network.requests.isEmpty)
        }
    }

    @Test(
        "Has no effect on the result after the end, and can be repeated",
        .original("GTMSessionFetcher GTMSessionFetcher.h stopFetching")
    )
    func afterEnd() async throws {
        let (network, log) = (FetcherNetwork(.text("a", .created)), FetcherLog())
        try await network.run {
            try await released(try network.fetcher()) { fetcher in
                fetcher.stopFetchingTriggersCompletionHandler = true
                let result = await fetcher.result()
                log.add(result.data, result.error)
                fetcher.stopFetching()
                fetcher.stopFetching()
                #expect(fetcher.statusCode == 201)
                #expect(fetcher.downloadedData == Data("a".utf8))
            }
            #expect(log.entries == ["a 0"])
        }
    }

    @Test(
        "Has no effect in the completion handler",
        .original("GTMSessionFetcher GTMSessionFetcher.h stopFetching")
    )
    func inHandler() async throws {
        let (network, log) = (FetcherNetwork(.text("a")), FetcherLog())
        try await network.run {
            try await released(try network.fetcher()) { fetcher in
                fetcher.stopFetchingTriggersCompletionHandler = true
                fetcher.beginFetch {
                    fetcher.stopFetching()
                    log.add($0, $1)
                }
                await log.count(reaches: 1)
            }
            #expect(log.entries == ["a 0"])
        }
    }

    @Test(
        "Calls no other closure after it was stopped in one of them",
        .original("GTMSessionFetcher GTMSessionFetcher.m invokeOnCallbackQueue")
    )
    func inClosure() async throws {
        let network = FetcherNetwork(.parts(["a", "b"], length: 2))
        let log = FetcherLog()
        try await network.run {
            try await released(try network.fetcher()) { fetcher in
                fetcher.didReceiveResponseBlock = { _, answer in
                    log.add("response")
                    answer(.allow)
                }
                fetcher.receivedProgressBlock = { _, total in
                    log.add("\(total)")
                    fetcher.stopFetching()
                }
                fetcher.beginFetch { log.add($0, $1) }
                await fetcher.waitForEnd()
                #expect(fetcher.downloadedLength == 1)
            }
            #expect(log.entries == ["response", "1"])
        }
    }
}

/// Calls `body` with a fetcher, and waits until nothing else refers to the fetcher and its queue is empty.
private func released(
    _ make: @autoclosure () throws -> GTMSessionFetcher,
    _ body: (GTMSessionFetcher) async throws -> Void
) async throws {
    weak var released: GTMSessionFetcher?
    var queue: DispatchQueue?
    do {
        let fetcher = try make()
        released = fetcher
        try await body(fetcher)
        queue = fetcher.callbackQueue
    }
    while released != nil, !Task.isCancelled { await Task.yield() }
    queue?.sync {}
}

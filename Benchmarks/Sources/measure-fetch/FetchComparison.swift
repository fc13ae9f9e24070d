// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import AsyncHTTPClient
internal import BenchmarkSession
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization
internal import Tessera
internal import TesseraAsyncHTTPClient
internal import TesseraFetch

/// Authorized GETs of the same small file, by TesseraFetch and by async-http-client itself, in turns.
struct FetchComparison: Sendable {
    private let url: String
    private let parts: HTTPRequest
    private let client: HTTPClient
    private let transport: AsyncHTTPClientTransport
    private let fetcher: AuthorizedFetcher
    private let authorization: String

    init(url: String) async throws {
        self.url = url
        self.parts = try HTTPRequest(url: url)
        self.transport = AsyncHTTPClientTransport(permitting: .loopbackHTTP)
        let origin = "\(self.parts.scheme ?? "")://\(self.parts.authority ?? "")"
        let session = try await BenchmarkSession.make(origin: origin, transport: self.transport)
        self.fetcher = AuthorizedFetcher(session, transport: self.transport)
        self.authorization = try await session.accessToken().authorization.withUnredacted { $0 }
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(10), read: .seconds(30), write: .seconds(30))
        )
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 128
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.tracing.tracer = nil
        self.client = HTTPClient(configuration: configuration)
    }

    func shutdown() async throws {
        try await self.client.shutdown()
        await self.transport.shutdown()
    }

    /// Prints, for both, requests per second and processor microseconds per request, and the median of the rounds' ratios
    /// of the former.
    func run(inFlight: Int, rounds: Int, duration: Duration) async throws {
        _ = try await self.rate(inFlight, duration / 4, self.fetch)
        _ = try await self.rate(inFlight, duration / 4, self.execute)
        var own: [Rate] = []
        var peer: [Rate] = []
        for round in 0..<rounds {
            if round.isMultiple(of: 2) {
                own.append(try await self.rate(inFlight, duration, self.fetch))
                peer.append(try await self.rate(inFlight, duration, self.execute))
            } else {
                peer.append(try await self.rate(inFlight, duration, self.execute))
                own.append(try await self.rate(inFlight, duration, self.fetch))
            }
        }
        let ratio = Self.median(zip(own, peer).map { $0.perSecond / $1.perSecond })
        let rates = [own, peer].map { Self.median($0.map(\.perSecond)) }
        let costs = [own, peer].map { Self.median($0.map(\.microseconds)) }
        print("fetch", inFlight, rates[0], rates[1], costs[0], costs[1], ratio)
    }

    /// One side alone, for a profiler.
    func repeatOnly(_ name: String, count: Int) async throws {
        for _ in 0..<count { try await name == "fetch" ? self.fetch() : self.execute() }
    }

    private struct Rate {
        let perSecond: Double
        let microseconds: Double
    }

    @Sendable
    private func fetch() async throws {
        let request = HTTPRequest(
            method: .get,
            scheme: self.parts.scheme,
            authority: self.parts.authority,
            path: self.parts.path
        )
        let bytes = try await self.fetcher.data(for: request)
        precondition(!bytes.isEmpty)
    }

    @Sendable
    private func execute() async throws {
        var request = HTTPClientRequest(url: self.url)
        request.headers.add(name: "Authorization", value: self.authorization)
        let response = try await self.client.execute(request, deadline: .distantFuture)
        let bytes = try await response.body.collect(upTo: 16 << 20)
        precondition(response.status == .ok && bytes.readableBytes > 0)
    }

    private func rate(
        _ inFlight: Int,
        _ duration: Duration,
        _ call: @escaping @Sendable () async throws -> Void
    ) async throws -> Rate {
        let clock = ContinuousClock()
        let processor = ProcessorTime.process
        let start = clock.now
        let end = start + duration
        let calls = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<inFlight {
                group.addTask {
                    var calls = 0
                    while clock.now < end {
                        try await call()
                        calls += 1
                    }
                    return calls
                }
            }
            return try await group.reduce(0, +)
        }
        return Rate(
            perSecond: Double(calls) / ((clock.now - start) / .seconds(1)),
            microseconds: (ProcessorTime.process - processor) / 1_000 / Double(calls)
        )
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

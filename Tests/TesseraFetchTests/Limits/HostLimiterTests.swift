// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Host limiter")
struct HostLimiterTests {
    /// Records requests, and responds to each one when its gate is open.
    private final class Host: Sendable {
        let arrived = Mutex<[String]>([])
        private let gates = Mutex<[String: Gate]>([:])

        func gate(_ path: String) -> Gate {
            self.gates.withLock { gates in
                if let gate = gates[path] { return gate }
                let gate = Gate()
                gates[path] = gate
                return gate
            }
        }

        var network: ScriptedTransport {
            ScriptedTransport { request in
                self.arrived.withLock { $0.append(request.path) }
                await self.gate(request.path).pass()
                return .json("{}")
            }
        }
    }

    private static func call(_ fetcher: AuthorizedFetcher, _ path: String, priority: Int = 0) -> Task<Int, any Error> {
        Task {
            let request = try HTTPRequest(url: "https://api.example\(path)")
            let (response, body) = try await fetcher.send(request, options: CallOptions(priority: priority))
            _ = try await body.collect(upTo: 100)
            return response.status.code
        }
    }

    @Test("Limits concurrent calls, orders waiting calls by priority, and skips canceled ones")
    func turns() async throws {
        let host = Host()
        let settings = FetchSettings(limiter: HostLimiter(callsPerHost: 1))
        let fetcher = AuthorizedFetcher(try ScriptedSource(), transport: host.network, settings: settings)
        let first = Self.call(fetcher, "/1")
        await host.gate("/1").waitForArrival()
        var waiting: [Task<Int, any Error>] = []
        for (path, priority) in [("/low", -1), ("/a", 0), ("/gone", 0), ("/b", 0), ("/high", 5)] {
            waiting.append(Self.call(fetcher, path, priority: priority))
            while settings.limiter?.waiting(at: "api.example") != waiting.count { await Task.yield() }
        }
        waiting[2].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[2].value }
        for path in ["/1", "/high", "/a", "/b", "/low"] {
            await host.gate(path).waitForArrival()
            host.gate(path).open()
        }
        #expect(try await first.value == 200)
        for index in [0, 1, 3, 4] { #expect(try await waiting[index].value == 200) }
        #expect(host.arrived.withLock { $0 } == ["/1", "/high", "/a", "/b", "/low"])
    }

    @Test("Occupies a slot per host until the response was read or released")
    func untilRead() async throws {
        let limiter = HostLimiter(callsPerHost: 1)
        let network = ScriptedTransport { _ in .json("{}") }
        let source = try ScriptedSource(["https://api.example", "https://other.example"])
        let fetcher = AuthorizedFetcher(source, transport: network, settings: FetchSettings(limiter: limiter))
        var response: (HTTPResponse, HTTPBody)? = try await fetcher.send(HTTPRequest(url: "https://api.example/1"))
        let next = Self.call(fetcher, "/2")
        while limiter.waiting(at: "api.example") != 1 { await Task.yield() }
        _ = try await fetcher.data(for: HTTPRequest(url: "https://other.example/"))
        #expect(network.requests.map(\.path) == ["/1", "/"])
        _ = try await response?.1.collect(upTo: 100)
        #expect(try await next.value == 200)
        response = try await fetcher.send(HTTPRequest(url: "https://api.example/3"))
        response = nil
        #expect(try await Self.call(fetcher, "/4").value == 200)
    }
}

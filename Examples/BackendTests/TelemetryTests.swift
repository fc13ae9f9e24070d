// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryTracing
import Metrics
import ServiceLifecycle
import ServiceLifecycleTestKit
import TesseraLocalProvider
import Testing
import Tracing

@testable import backend

@Suite("Telemetry of the backend", .serialized)
struct TelemetryTests {
    /// The tracer and the metrics page, which can be bootstrapped only once per process.
    private static let (tracer, metrics) = {
        let (tracer, metrics) = (InMemoryTracer(), MetricsPage())
        InstrumentationSystem.bootstrap(tracer)
        MetricsSystem.bootstrap(metrics)
        return (tracer, metrics)
    }()

    /// Returns the value of the metric with the given name and labels, or nil if the page does not contain it.
    private static func metric(_ name: String) -> String? {
        Self.metrics.text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .map { String($0.dropFirst(name.count + 1)) }
    }

    @Test("Traces a request through refresh and API call, refreshes once, and keeps secrets out of spans")
    func traces() async throws {
        try await BackendPair.with(Self.metrics) { pair, clients in
            _ = Self.tracer.popFinishedSpans()
            let (cookies, redirect) = try await pair.signIn(clients)
            let arrival = Self.tracer.popFinishedSpans()
            let callback = try #require(arrival.first { $0.operationName == "/callback" })
            let exchange = try #require(arrival.first { $0.operationName == "oauth.token" })
            #expect(callback.kind == .server)
            #expect(callback.attributes.get("http.response.status_code") == .int64(303))
            #expect(exchange.traceID == callback.traceID)
            #expect(exchange.parentSpanID == callback.spanID)

            pair.provider.expireAccessTokens()
            async let one = clients[0].execute(uri: "/files", method: .get, headers: [.cookie: cookies])
            async let other = clients[1].execute(uri: "/files", method: .get, headers: [.cookie: cookies])
            let statuses = [try await one.status, try await other.status]
            #expect(statuses == [.ok, .ok])
            let visits = Self.tracer.popFinishedSpans()
            let requests = visits.filter { $0.operationName == "/files" }
            let refreshes = visits.filter { $0.operationName == "oauth.token" }
            #expect(requests.count == 2)
            #expect(refreshes.count == 1)
            #expect(pair.provider.refreshRequestCount == 1)
            #expect(requests.contains { $0.traceID == refreshes[0].traceID })
            for request in requests {
                #expect(visits.contains { $0.traceID == request.traceID && $0.operationName == "drive.files.list" })
            }

            await AwayJob(backend: pair.backends[0]).round()
            let away = Self.tracer.popFinishedSpans()
            let call = try #require(away.first { $0.operationName == "backend.away" })
            #expect(away.contains { $0.parentSpanID == call.spanID && $0.operationName == "drive.files.list" })

            let parameters = redirect.split { "?&".contains($0) }
                .filter { $0.hasPrefix("code=") || $0.hasPrefix("state=") }
            let secrets = (cookies.split(separator: "; ") + parameters).map { $0.drop { $0 != "=" }.dropFirst() }
            let email = LocalProviderAccount.samples[0].email
            #expect(secrets.count == 4)
            for span in arrival + visits + away {
                let text = "\(span)"
                for secret in secrets + ["ya29.", email[...]] { #expect(!text.contains(secret), "\(text)") }
            }
        }
        #expect(Self.metric(#"oauth_token_requests{grant_type="authorization_code",outcome="success"}"#) == "1.0")
        #expect(Self.metric(#"oauth_token_requests{grant_type="refresh_token",outcome="success"}"#) == "1.0")
        #expect(Self.metric(#"backend_away_calls{outcome="ok"}"#) == "1.0")
        let route = #"http_route="/files",http_request_method="GET",http_response_status_code="200""#
        #expect(Self.metric("hb_requests{\(route)}") == "2.0")
        #expect(Self.metric("http_server_request_duration_seconds_count{\(route)}") == "2")
    }

    @Test("Fails the readiness check during graceful shutdown and still serves requests")
    func end() async throws {
        try await BackendPair.with(Self.metrics) { pair, clients in
            @Sendable func status(_ path: String) async throws -> HTTPResponse.Status {
                try await clients[0].execute(uri: path, method: .get).status
            }
            #expect(try await status("/health/ready") == .ok)
            try await testGracefulShutdown { end in
                end.triggerGracefulShutdown()
                try await pair.readiness.run()
            }
            #expect(try await status("/health/ready") == .serviceUnavailable)
            for path in ["/health/live", "/"] { #expect(try await status(path) == .ok) }
        }
    }
}

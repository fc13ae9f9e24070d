// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOPosix)
internal import HTTPTypes
internal import TesseraOAuth
internal import Testing

@Suite("Timeouts of transports")
struct TransportTimeoutTests {
    @Test("Does not time out while data keeps arriving", arguments: TestedTransport.allCases)
    func slow(_ tested: TestedTransport) async throws {
        let server = try await DyingServer()
        let timeouts = TransportTimeouts(connect: .seconds(10), idle: .seconds(3))
        let transport = tested.make(insecure: .loopbackHTTP, timeouts: timeouts)
        let (response, body) = try await transport.get("/slow", from: server.authority, scheme: "http")
        #expect(response.status == .ok)
        #expect(try await body.collect(upTo: 2) == Array("ok".utf8))
    }

    @Test(
        "Accepts timeouts of any length",
        arguments: TestedTransport.allCases,
        [Duration.seconds(3_000_000), .seconds(Int64.max / 1_000), .seconds(Int64.max)]
    )
    func long(tested: TestedTransport, duration: Duration) async throws {
        let server = try await DyingServer()
        let timeouts = TransportTimeouts(connect: duration, idle: duration)
        let transport = tested.make(insecure: .loopbackHTTP, timeouts: timeouts)
        let (response, _) = try await transport.get(from: server.authority, scheme: "http")
        #expect(response.status == .ok)
    }
}
#endif

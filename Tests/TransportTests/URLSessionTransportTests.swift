// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraTesting
internal import TesseraURLSession
internal import TestTraits
internal import Testing

@Suite("The transport on URLSession")
struct URLSessionTransportTests {
    /// swift-corelibs-foundation stops the process with "Transfer completed, but there's no response" there.
    #if canImport(FoundationNetworking)
    static let checks = HTTPTransportContract.checks.filter { !$0.description.contains("closed within the head") }
    #else
    static let checks = HTTPTransportContract.checks
    #endif

    @Test(
        "It keeps the transport contract",
        .covers(5, 7, 15, 60, 120),
        .timeLimit(.minutes(1)),
        arguments: Self.checks
    )
    func contract(check: HTTPTransportContract.Check) async throws {
        try await HTTPTransportContract { URLSessionTransport(permitting: $0, timeouts: $1) }.verify(check)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraTesting
internal import TesseraURLSession
internal import TestTraits
internal import Testing

@Suite("URLSession transport")
struct URLSessionTransportTests {
    /// The checks to run.
    ///
    /// One check crashes swift-corelibs-foundation with "Transfer completed, but there's no response".
    #if canImport(FoundationNetworking)
    static let checks = HTTPTransportContract.checks.filter { !$0.description.contains("closed within the head") }
    #else
    static let checks = HTTPTransportContract.checks
    #endif

    @Test(
        "Satisfies the transport contract with URLSession",
        .covers(5, 7, 15, 60, 120),
        .timeLimit(.minutes(1)),
        arguments: Self.checks
    )
    func contract(check: HTTPTransportContract.Check) async throws {
        try await HTTPTransportContract { URLSessionTransport(insecure: $0, timeouts: $1) }.verify(check)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import HTTPTypes
internal import Tessera
internal import TesseraAsyncHTTPClient
internal import TesseraCurl
internal import TesseraFetch
internal import TesseraOAuth

/// A client that runs alone in its process, for comparison with clients in other languages.
enum Client: String {
    /// TesseraFetch over libcurl.
    case tessera
    /// The libcurl transport, with the same request.
    case curl
    /// TesseraFetch over async-http-client.
    case asyncHTTPClient = "async-http-client"

    /// Prints the calls per second and the microseconds of processor time of each call.
    ///
    /// - Parameters:
    ///   - url: The URL to get.
    ///   - certificate: The path of the server's certificate for TLS.
    ///   - offersHTTP2: Whether the client offers HTTP/2.
    ///   - inFlight: The number of concurrent calls.
    ///   - duration: The duration of the measurement.
    /// - Throws: The error of a failed call.
    func run(
        _ url: String,
        trusting certificate: String?,
        offersHTTP2: Bool,
        inFlight: Int,
        duration: Duration
    ) async throws {
        let roots = certificate.map { [$0] } ?? []
        let side: Side
        switch self {
        case .tessera:
            let transport = CurlTransport(
                insecure: .loopbackHTTP,
                additionalTrustRoots: roots,
                offersHTTP2: offersHTTP2
            )
            side = try await Side.fetcher(url, over: transport) { await transport.shutdown() }
        case .curl:
            let transport = CurlTransport(
                insecure: .loopbackHTTP,
                additionalTrustRoots: roots,
                offersHTTP2: offersHTTP2
            )
            side = try Side.transport(url, transport) { await transport.shutdown() }
        case .asyncHTTPClient:
            let transport = AsyncHTTPClientTransport(insecure: .loopbackHTTP, additionalTrustRoots: roots)
            side = try await Side.fetcher(url, over: transport) { await transport.shutdown() }
        }
        // The first calls open the connections.
        _ = try await Rate(of: side.call, inFlight, duration / 4)
        let rate = try await Rate(of: side.call, inFlight, duration)
        print(rate.perSecond, rate.microseconds)
        try await side.shutdown()
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import HTTPTypes
internal import Tessera
internal import TesseraAsyncHTTPClient
internal import TesseraCurl
internal import TesseraFetch
internal import TesseraOAuth

/// A client that is alone in its process, to compare it with clients in other languages.
enum Client: String {
    /// TesseraFetch over libcurl.
    case tessera
    /// The transport on libcurl, with the same request.
    case curl
    /// TesseraFetch over async-http-client.
    case asyncHTTPClient = "async-http-client"

    /// Prints the calls per second and the microseconds of processor time of each call.
    ///
    /// - Parameters:
    ///   - url: What to get.
    ///   - certificate: The file with the certificate of a server that uses TLS.
    ///   - offersHTTP2: Whether HTTP/2 is offered.
    ///   - inFlight: How many calls are made at a time.
    ///   - duration: How long calls are made.
    /// - Throws: The error of a call that failed.
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
                permitting: .loopbackHTTP,
                additionalTrustRoots: roots,
                offersHTTP2: offersHTTP2
            )
            side = try await Side.fetcher(url, over: transport) { await transport.shutdown() }
        case .curl:
            let transport = CurlTransport(
                permitting: .loopbackHTTP,
                additionalTrustRoots: roots,
                offersHTTP2: offersHTTP2
            )
            side = try Side.transport(url, transport) { await transport.shutdown() }
        case .asyncHTTPClient:
            let transport = AsyncHTTPClientTransport(permitting: .loopbackHTTP, additionalTrustRoots: roots)
            side = try await Side.fetcher(url, over: transport) { await transport.shutdown() }
        }
        // The first calls open the connections.
        _ = try await Rate(of: side.call, inFlight, duration / 4)
        let rate = try await Rate(of: side.call, inFlight, duration)
        print(rate.perSecond, rate.microseconds)
        try await side.shutdown()
    }
}

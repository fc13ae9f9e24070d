// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient
internal import AsyncHTTPClient
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization
public import TesseraOAuth

/// The network through async-http-client: the transport for Linux, and a quick one everywhere.
///
/// Connections are kept and used again; HTTP/2 is spoken where the server offers it over TLS. Nothing is opened before
/// the first request, and nothing has to be shut down: when the last reference to a transport, and to the response
/// bodies that came from it, is gone, its connections are closed. ``shutdown()`` does it earlier.
///
/// Certificates are checked against the system's roots, those in the file that the environment variable `SSL_CERT_FILE`
/// names, and `additionalTrustRoots`. There is no way to switch the check off.
///
/// Requests go through the proxy that `HTTPS_PROXY` (or `https_proxy`, `ALL_PROXY`, `all_proxy`) names, but for the
/// hosts in `NO_PROXY`; loopback addresses never do. No request is traced: a URL's query may hold secrets.
public final class AsyncHTTPClientTransport: HTTPTransport {
    /// A transport for the whole process, with the defaults.
    public static let shared = AsyncHTTPClientTransport()

    private let settings: TransportSettings
    private let pool = Mutex<ConnectionPool?>(nil)

    /// A transport with connections of its own.
    ///
    /// - Parameters:
    ///   - insecure: What is permitted beyond https.
    ///   - timeouts: How long to wait for the network.
    ///   - additionalTrustRoots: Paths of PEM files with certificates to trust beside the system's. They are read when the
    ///     first TLS connection is made; a file that cannot be read fails that request with ``TransportError`` `tls`.
    public init(
        permitting insecure: Insecure = [],
        timeouts: TransportTimeouts = TransportTimeouts(),
        additionalTrustRoots: [String] = []
    ) {
        self.settings = TransportSettings(
            insecure: insecure,
            timeouts: timeouts,
            additionalTrustRoots: additionalTrustRoots,
            environment: .process
        )
    }

    /// Sends `request` and returns as soon as the response's head is there; the body can be read once.
    ///
    /// - Throws: ``TransportError``, `CancellationError`, and what the request's body throws, as it is.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let target = try RequestTarget(request, permitting: self.settings.insecure)
        try Task.checkCancellation()
        let pool = self.openPool()
        do {
            let response = try await pool.client(for: target)
                .execute(
                    HTTPClientRequest(request, url: target.url, body: body),
                    deadline: .distantFuture
                )
            let head = try HTTPResponse(response, after: pool.lastFields, host: target.host)
            let length = request.method == .head ? 0 : Self.bodyLength(of: response)
            return (head, try await HTTPBody(response, length: length, from: pool, host: target.host))
        } catch {
            throw TransportError.mapping(error, host: target.host)
        }
    }

    /// Closes all connections and waits until they are closed.
    ///
    /// What is still being sent or received fails with ``TransportError`` `connectionLost`; the next request opens new
    /// connections.
    public func shutdown() async {
        let pool = self.pool.withLock { pool in
            defer { pool = nil }
            return pool
        }
        await pool?.shutdown()
    }

    // RFC 9112, section 6.3: neither 204 nor 304 has a body, whatever its fields say. A response with a transfer coding
    // and a length does not get past SwiftNIO's parser.
    private static func bodyLength(of response: HTTPClientResponse) -> Int64? {
        if response.status == .noContent || response.status == .notModified { return 0 }
        return response.headers.first(name: "content-length").flatMap { Int64($0) }
    }

    private func openPool() -> ConnectionPool {
        self.pool.withLock { pool in
            if let pool { return pool }
            let opened = ConnectionPool(self.settings)
            pool = opened
            return opened
        }
    }
}
#endif

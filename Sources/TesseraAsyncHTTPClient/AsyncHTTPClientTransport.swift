// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import AsyncHTTPClient
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import TesseraSupport
public import TesseraOAuth

/// A transport for Linux and macOS that uses async-http-client.
///
/// Connections are reused, and HTTP/2 is used if a server offers it over TLS. No connection is opened before the first
/// request, and no explicit shutdown is required. When the last reference to a transport and its response bodies is
/// released, its connections are closed. Call ``shutdown()`` to close them earlier.
///
/// Certificates are verified against the system's roots, the file that the `SSL_CERT_FILE` environment variable
/// specifies, and `additionalTrustRoots`. Verification cannot be disabled.
///
/// Requests use the proxy specified by `HTTPS_PROXY` (or `https_proxy`, `ALL_PROXY`, `all_proxy`), except for requests
/// to loopback addresses and to the hosts, `host:port` pairs and networks (`10.0.0.0/8`) listed in `NO_PROXY`. If the
/// proxy cannot be used, requests fail rather than being sent directly. Requests are not traced, because a URL's query
/// may contain secrets.
///
/// If a response's body is not read for longer than `TransportTimeouts.idle`, reading it fails with the
/// `TransportError` code `timedOut`. With `CurlTransport`, the time between two reads does not count.
public final class AsyncHTTPClientTransport: HTTPTransport {
    /// A shared transport with the default settings.
    public static let shared = AsyncHTTPClientTransport()

    private let settings: TransportSettings
    private let state = Mutex(State())

    private struct State {
        var pool: ConnectionPool?
        /// The origin of the last request, which the next request often shares.
        var lastOrigin: RequestOrigin?
    }

    /// Creates a transport with its own connections.
    ///
    /// - Parameters:
    ///   - insecure: The permitted exceptions to https.
    ///   - timeouts: The network timeouts.
    ///   - additionalTrustRoots: The paths of PEM files with certificates to trust in addition to the system's. They
    ///     are read when the first TLS connection is opened. If a file cannot be read, that request fails with the
    ///     `TransportError` code `tls`.
    public init(
        insecure: Insecure = [],
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

    /// Creates a transport that presents a client certificate to servers that request one.
    ///
    /// - Parameters:
    ///   - clientIdentity: The certificate and its private key.
    ///   - insecure: The permitted exceptions to https.
    ///   - timeouts: The network timeouts.
    ///   - additionalTrustRoots: The paths of PEM files with certificates to trust in addition to the system's.
    /// - Throws: `InvalidRequestError` if the identity cannot be read. If the private key does not belong to the
    ///   certificate, the first request fails with the `TransportError` code `tls`.
    public init(
        clientIdentity: ClientIdentity,
        insecure: Insecure = [],
        timeouts: TransportTimeouts = TransportTimeouts(),
        additionalTrustRoots: [String] = []
    ) throws(InvalidRequestError) {
        self.settings = TransportSettings(
            insecure: insecure,
            timeouts: timeouts,
            additionalTrustRoots: additionalTrustRoots,
            identity: try TLSIdentity(clientIdentity),
            environment: .process
        )
    }

    /// Creates a transport with its own connections that reads the given environment variables instead of the
    /// process's.
    package init(
        insecure: Insecure = [],
        timeouts: TransportTimeouts = TransportTimeouts(),
        additionalTrustRoots: [String] = [],
        environment: ProcessVariables
    ) {
        self.settings = TransportSettings(
            insecure: insecure,
            timeouts: timeouts,
            additionalTrustRoots: additionalTrustRoots,
            environment: environment
        )
    }

    /// Sends a request and returns when the response head has arrived.
    ///
    /// The body can be read once.
    ///
    /// - Throws: `TransportError`, `CancellationError`, or any error that the request's body throws, unchanged.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let state = self.state.withLock { $0 }
        let target = try RequestTarget(request, insecure: self.settings.insecure, after: state.lastOrigin)
        try Task.checkCancellation()
        let pool = state.pool ?? self.openPool()
        if target.origin !== state.lastOrigin { self.state.withLock { $0.lastOrigin = target.origin } }
        let host = target.origin.host
        do {
            let client = try pool.client(for: target.origin)
            var message = HTTPClientRequest(url: target.url)
            message.method = HTTPMethod(request.method)
            message.headers = HTTPHeaders(request.headerFields)
            let response: HTTPClientResponse
            var upload: UploadLimit?
            if let body, body.isSentInParts {
                let limit = UploadLimit(self.settings.timeouts.idle, host: host)
                upload = limit
                message.body = HTTPClientRequest.Body(parts: body, limit)
                response = try await limit.apply { [message] in
                    try await client.execute(message, deadline: .distantFuture)
                }
            } else {
                message.body = body?.bytes.map { .bytes(ByteBuffer(bytes: $0)) }
                response = try await client.execute(message, deadline: .distantFuture)
            }
            let head = try pool.head(of: response, host: host)
            let length = request.method == .head ? 0 : head.length
            guard length == 0 else {
                let body = ResponseBody(response.body, from: pool, upload, host: host)
                return (head.response, HTTPBody(length: length, source: body))
            }
            // Read to the end so that the connection becomes available for other requests.
            for try await _ in response.body {}
            return (head.response, HTTPBody([]))
        } catch {
            throw TransportError.mapping(error, host: host)
        }
    }

    /// Closes all connections and waits until they are closed.
    ///
    /// Unfinished requests and responses fail with the `TransportError` code `connectionLost`. The next request opens
    /// new connections.
    public func shutdown() async {
        let pool = self.state.withLock { state in
            defer { state.pool = nil }
            return state.pool
        }
        await pool?.shutdown()
    }

    private func openPool() -> ConnectionPool {
        self.state.withLock { state in
            if let pool = state.pool { return pool }
            let opened = ConnectionPool(self.settings)
            state.pool = opened
            return opened
        }
    }
}
#elseif canImport(UIKit)
/// A transport that uses async-http-client.
@available(*, unavailable, message: "Use URLSessionTransport from TesseraURLSession on this platform.")
public final class AsyncHTTPClientTransport {}
#else
/// A transport that uses async-http-client.
@available(*, unavailable, message: "Enable the package trait AsyncHTTPClient to use this transport.")
public final class AsyncHTTPClientTransport {}
#endif

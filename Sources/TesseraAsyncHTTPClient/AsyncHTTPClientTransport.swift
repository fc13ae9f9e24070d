// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import AsyncHTTPClient
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import TesseraSupport
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
/// Requests go through the proxy that `HTTPS_PROXY` (or `https_proxy`, `ALL_PROXY`, `all_proxy`) names, except those to
/// loopback addresses and to the hosts, `host:port` pairs and networks (`10.0.0.0/8`) in `NO_PROXY`. They fail if the
/// proxy cannot be used, and never bypass it. No request is traced: a URL's query may hold secrets.
public final class AsyncHTTPClientTransport: HTTPTransport {
    /// A transport for the whole process, with the defaults.
    public static let shared = AsyncHTTPClientTransport()

    private let settings: TransportSettings
    private let state = Mutex(State())

    private struct State {
        var pool: ConnectionPool?
        /// Where the last request went: the next one mostly goes there too.
        var lastOrigin: RequestOrigin?
    }

    /// A transport with connections of its own.
    ///
    /// - Parameters:
    ///   - insecure: What is permitted beyond https.
    ///   - timeouts: How long to wait for the network.
    ///   - additionalTrustRoots: Paths of PEM files with certificates to trust beside the system's. They are read when the
    ///     first TLS connection is made; a file that cannot be read fails that request with `TransportError` `tls`.
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

    /// A transport with connections of its own, which shows a certificate to every server that asks for one.
    ///
    /// - Parameters:
    ///   - clientIdentity: The certificate and its key.
    ///   - insecure: What is permitted beyond https.
    ///   - timeouts: How long to wait for the network.
    ///   - additionalTrustRoots: Paths of PEM files with certificates to trust beside the system's, as above.
    /// - Throws: `InvalidRequestError` for an identity that cannot be read. A key that is not the certificate's fails the
    ///   first request with `TransportError` `tls`.
    public init(
        clientIdentity: ClientIdentity,
        permitting insecure: Insecure = [],
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

    /// Creates a transport with its own connections that reads these environment variables instead of the process's.
    package init(
        permitting insecure: Insecure = [],
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

    /// Sends `request` and returns as soon as the response's head is there; the body can be read once.
    ///
    /// - Throws: `TransportError`, `CancellationError`, and what the request's body throws, as it is.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let state = self.state.withLock { $0 }
        let target = try RequestTarget(request, permitting: self.settings.insecure, after: state.lastOrigin)
        try Task.checkCancellation()
        let pool = state.pool ?? self.openPool()
        if target.origin !== state.lastOrigin { self.state.withLock { $0.lastOrigin = target.origin } }
        let host = target.origin.host
        do {
            var message = HTTPClientRequest(url: target.url)
            message.method = HTTPMethod(request.method)
            message.headers = HTTPHeaders(request.headerFields)
            if let body { message.body = HTTPClientRequest.Body(body) }
            let response = try await pool.client(for: target.origin).execute(message, deadline: .distantFuture)
            let head = try pool.head(of: response, host: host)
            var length = head.length
            if case .HEAD = message.method { length = 0 }
            guard length == 0 else {
                let body = ResponseBody(response.body, from: pool, host: host)
                return (head.response, HTTPBody(length: length, source: body))
            }
            // Read to its end, so that the connection is free.
            for try await _ in response.body {}
            return (head.response, HTTPBody([]))
        } catch {
            throw TransportError.mapping(error, host: host)
        }
    }

    /// Closes all connections and waits until they are closed.
    ///
    /// What is still being sent or received fails with `TransportError` `connectionLost`; the next request opens new
    /// connections.
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
/// The network through async-http-client.
@available(*, unavailable, message: "Use URLSessionTransport of TesseraURLSession on this platform.")
public final class AsyncHTTPClientTransport {}
#else
/// The network through async-http-client.
@available(*, unavailable, message: "Enable the package trait AsyncHTTPClient to use this transport.")
public final class AsyncHTTPClientTransport {}
#endif

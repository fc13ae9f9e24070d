// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
public import HTTPTypes
public import TesseraOAuth
internal import TesseraSupport

/// A transport for Linux that uses libcurl, which nearly all Linux systems provide.
///
/// Connections are reused, except for token requests. Each token request has its own connection, because libcurl
/// repeats a request if a reused connection is closed. In that case, a request with a method that is not safe (RFC
/// 9110, section 9.2.1) fails with `connectionLost`. No connection is opened before the first request, and no explicit
/// shutdown is required. When the last reference to a transport and its response bodies is released, its thread ends
/// and its connections are closed. Call ``shutdown()`` to close them earlier.
///
/// Certificates are verified against the system's roots, the file that the `SSL_CERT_FILE` environment variable
/// specifies, and `additionalTrustRoots`. Verification cannot be disabled.
///
/// Requests use the proxy specified by `HTTPS_PROXY` (or `https_proxy`, `ALL_PROXY`, `all_proxy`), except for requests
/// to loopback addresses and to the hosts, `host:port` pairs and networks (`10.0.0.0/8`) listed in `NO_PROXY`. If the
/// proxy cannot be used, requests fail rather than being sent directly. libcurl ignores all other environment
/// variables.
///
/// The transport requires libcurl 7.80 or later. Any number of tasks can use it concurrently.
public final class CurlTransport: HTTPTransport {
    /// A shared transport with the default settings.
    public static let shared = CurlTransport()

    let settings: CurlSettings
    private let state = Mutex(State())

    private struct State {
        var loop: CurlLoop?
        /// The origin of the last request, which the next request often shares.
        var lastOrigin: RequestOrigin?
        /// The last parsed head, which is often identical to the next one.
        var lastHead: (bytes: [UInt8], method: String, head: CurlResponseHead)?
    }

    /// Creates a transport with its own connections.
    ///
    /// - Parameters:
    ///   - insecure: The permitted exceptions to https.
    ///   - timeouts: The network timeouts.
    ///   - additionalTrustRoots: The paths of PEM files with certificates to trust in addition to the system's. They
    ///     are read for each new connection. If a file cannot be read, the request fails with the `TransportError` code
    ///     `tls`.
    ///   - offersHTTP2: Whether to offer HTTP/2 to servers over TLS. If a server closes a connection (`GOAWAY`),
    ///     requests on it fail if their method is not safe or their body is streamed. Other requests are retried up to
    ///     7 times. Token requests always use HTTP/1.1.
    public convenience init(
        insecure: Insecure = [],
        timeouts: TransportTimeouts = TransportTimeouts(),
        additionalTrustRoots: [String] = [],
        offersHTTP2: Bool = false
    ) {
        self.init(
            insecure: insecure,
            timeouts: timeouts,
            additionalTrustRoots: additionalTrustRoots,
            offersHTTP2: offersHTTP2,
            environment: .process
        )
    }

    /// Creates a transport that presents a client certificate to servers that request one.
    ///
    /// This initializer requires a libcurl that uses OpenSSL.
    ///
    /// - Parameters:
    ///   - clientIdentity: The certificate and its private key.
    ///   - insecure: The permitted exceptions to https.
    ///   - timeouts: The network timeouts.
    ///   - additionalTrustRoots: The paths of PEM files with certificates to trust in addition to the system's.
    ///   - offersHTTP2: Whether to offer HTTP/2 to servers over TLS.
    /// - Throws: `InvalidRequestError` if the identity cannot be read, or if libcurl uses another TLS library. If the
    ///   private key does not belong to the certificate, the first request fails with the `TransportError` code `tls`.
    public init(
        clientIdentity: ClientIdentity,
        insecure: Insecure = [],
        timeouts: TransportTimeouts = TransportTimeouts(),
        additionalTrustRoots: [String] = [],
        offersHTTP2: Bool = false
    ) throws {
        try clientIdentity.checkForCurl()
        self.settings = CurlSettings(
            insecure: insecure,
            timeouts: timeouts,
            additionalTrustRoots: additionalTrustRoots,
            identity: clientIdentity,
            offersHTTP2: offersHTTP2,
            environment: .process
        )
    }

    /// Creates a transport with its own connections that reads the given environment variables instead of the
    /// process's.
    package init(
        insecure: Insecure = [],
        timeouts: TransportTimeouts = TransportTimeouts(),
        additionalTrustRoots: [String] = [],
        offersHTTP2: Bool = false,
        environment: ProcessVariables
    ) {
        self.settings = CurlSettings(
            insecure: insecure,
            timeouts: timeouts,
            additionalTrustRoots: additionalTrustRoots,
            identity: nil,
            offersHTTP2: offersHTTP2,
            environment: environment
        )
    }

    /// Sends a request and returns when the response head has arrived.
    ///
    /// The body can be read once.
    ///
    /// - Throws: `TransportError`, `CancellationError`, or any error that the request's body throws, unchanged.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let (lastOrigin, lastHead) = self.state.withLock { ($0.lastOrigin, $0.lastHead) }
        let target = try RequestTarget(request, insecure: self.settings.insecure, after: lastOrigin)
        try Task.checkCancellation()
        let loop = try self.loop(for: target.origin.host)
        if target.origin !== lastOrigin { self.state.withLock { $0.lastOrigin = target.origin } }
        let host = target.origin.host
        let proxy = try self.settings.proxyServer(for: target.origin)
        let message = try CurlMessage(request, body: body, target: target, proxy: proxy)
        let transfer = CurlTransfer(message, loop)
        if case .stream(let upload) = message.body {
            transfer.attach(Task { await upload.pump { loop.queue.submit(.send(transfer)) } })
        }
        let bytes = try await transfer.head()
        let head: CurlResponseHead
        if let lastHead, lastHead.bytes == bytes, lastHead.method == message.method {
            head = lastHead.head
        } else {
            do {
                head = try CurlResponseHead(bytes, method: message.method, host: host)
            } catch {
                transfer.cancel()
                throw error
            }
            self.state.withLock { $0.lastHead = (bytes, message.method, head) }
        }
        let source = CurlResponseBody(transfer)
        if head.length == 0 {
            // Read to the end so that the connection becomes available for other requests.
            _ = try await source.collect(upTo: 0)
            return (head.response, HTTPBody([]))
        }
        return (head.response, HTTPBody(length: head.length, source: source))
    }

    /// Closes all connections and waits until they are closed.
    ///
    /// Unfinished requests and responses fail with the `TransportError` code `connectionLost`. The next request opens
    /// new connections.
    public func shutdown() async {
        let loop = self.state.withLock { state in
            defer { state.loop = nil }
            return state.loop
        }
        await loop?.shutdown()
    }

    private func loop(for host: String) throws(TransportError) -> CurlLoop {
        let process = getpid()
        return try self.state.withLock { state throws(TransportError) in
            if let loop = state.loop, loop.process == process { return loop }
            if let code = CurlLibrary.loaded.refusal(of: self.settings) { throw TransportError(code, host: host) }
            let loop = try CurlLoop(self.settings)
            state.loop = loop
            return loop
        }
    }
}

extension ClientIdentity {
    /// Checks the format of the identity as far as possible without a TLS library.
    fileprivate func checkForCurl() throws(InvalidRequestError) {
        guard Self.hasBlock(["CERTIFICATE"], self.certificateChain) else {
            throw InvalidRequestError("clientIdentity", reason: "the certificate chain is not PEM-encoded certificates")
        }
        let kinds = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"]
        guard self.privateKey.withUnredacted({ Self.hasBlock(kinds, $0) }) else {
            throw InvalidRequestError("clientIdentity", reason: "the private key is not an unencrypted PEM key")
        }
        guard CurlLibrary.loaded.usesOpenSSL else {
            throw InvalidRequestError("clientIdentity", reason: "libcurl does not use OpenSSL")
        }
    }

    private static func hasBlock(_ kinds: [String], _ text: String) -> Bool {
        kinds.contains { kind in
            guard let begin = text.firstRange(of: "-----BEGIN \(kind)-----"),
                let end = text[begin.upperBound...].firstRange(of: "-----END \(kind)-----")
            else { return false }
            let content = text[begin.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
            return !content.isEmpty && Data(base64Encoded: String(content)) != nil
        }
    }
}
#endif

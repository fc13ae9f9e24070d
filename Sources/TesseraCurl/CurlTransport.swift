// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
public import HTTPTypes
public import TesseraOAuth
internal import TesseraSupport

/// The network through libcurl, which nearly every Linux system has: the transport for Linux.
///
/// Connections are reused, except for token requests: each gets its own connection, since libcurl sends a request again
/// when a reused connection breaks. A request whose method is not safe
/// (RFC 9110, section 9.2.1) fails with `connectionLost` instead. Nothing is opened before the first request, and nothing has
/// to be shut down: when the last reference to a transport, and to the response bodies that came from it, is gone, its thread
/// ends and its connections are closed. ``shutdown()`` does it earlier.
///
/// Certificates are checked against the system's roots, those in the file that the environment variable `SSL_CERT_FILE`
/// names, and `additionalTrustRoots`. There is no way to switch the check off.
///
/// Requests go through the proxy that `HTTPS_PROXY` (or `https_proxy`, `ALL_PROXY`, `all_proxy`) names, except those to
/// loopback addresses and to the hosts, `host:port` pairs and networks (`10.0.0.0/8`) in `NO_PROXY`. They fail if the
/// proxy cannot be used, and never bypass it. libcurl heeds no other environment variable.
///
/// libcurl 7.80 or newer is needed. Sendable; any number of tasks may send at once.
public final class CurlTransport: HTTPTransport {
    /// A transport for the whole process, with the defaults.
    public static let shared = CurlTransport()

    let settings: CurlSettings
    private let state = Mutex(State())

    private struct State {
        var loop: CurlLoop?
        /// Where the last request went: the next one mostly goes there too.
        var lastOrigin: RequestOrigin?
        /// The last head that was read: the next one is often the same.
        var lastHead: (bytes: [UInt8], method: String, head: CurlResponseHead)?
    }

    /// Creates a transport with its own connections.
    ///
    /// - Parameters:
    ///   - insecure: What is permitted beyond https.
    ///   - timeouts: How long to wait for the network.
    ///   - additionalTrustRoots: Paths of PEM files with certificates to trust in addition to the system's. They are read for each new
    ///     connection; a file that cannot be read fails that request with `TransportError` `tls`.
    ///   - offersHTTP2: Whether HTTP/2 is offered to servers over TLS. A server that ends a connection (`GOAWAY`) then fails
    ///     the requests on it whose method is not safe, or that have a streamed body; others are sent again, up to 7 times.
    ///     Requests for tokens always use HTTP/1.1.
    public convenience init(
        permitting insecure: Insecure = [],
        timeouts: TransportTimeouts = TransportTimeouts(),
        additionalTrustRoots: [String] = [],
        offersHTTP2: Bool = false
    ) {
        self.init(
            permitting: insecure,
            timeouts: timeouts,
            additionalTrustRoots: additionalTrustRoots,
            offersHTTP2: offersHTTP2,
            environment: .process
        )
    }

    /// Creates a transport that presents a client certificate to servers that request one.
    ///
    /// libcurl must use OpenSSL.
    ///
    /// - Parameters:
    ///   - clientIdentity: The certificate and its key.
    ///   - insecure: What is permitted beyond https.
    ///   - timeouts: How long to wait for the network.
    ///   - additionalTrustRoots: Paths of PEM files with certificates to trust in addition to the system's, as above.
    ///   - offersHTTP2: Whether HTTP/2 is offered, as above.
    /// - Throws: `InvalidRequestError` for an identity that cannot be read, and with another TLS library. A key that is not
    ///   the certificate's fails the first request with `TransportError` `tls`.
    public init(
        clientIdentity: ClientIdentity,
        permitting insecure: Insecure = [],
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

    /// Creates a transport with its own connections that reads these environment variables instead of the process's.
    package init(
        permitting insecure: Insecure = [],
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

    /// Sends `request` and returns as soon as the response's head is there; the body can be read once.
    ///
    /// - Throws: `TransportError`, `CancellationError`, and the errors of the request's body, unchanged.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let (lastOrigin, lastHead) = self.state.withLock { ($0.lastOrigin, $0.lastHead) }
        let target = try RequestTarget(request, permitting: self.settings.insecure, after: lastOrigin)
        try Task.checkCancellation()
        let loop = try self.loop(for: target.origin.host)
        if target.origin !== lastOrigin { self.state.withLock { $0.lastOrigin = target.origin } }
        let host = target.origin.host
        let proxy = try self.settings.proxyServer(for: target.origin)
        let message = try CurlMessage(request, body: body, target: target, proxy: proxy)
        let transfer = CurlTransfer(loop, host: host)
        if case .stream(let upload) = message.body {
            transfer.keep(Task { await upload.pump { loop.inbox.submit(.send(transfer)) } })
        }
        let bytes = try await transfer.head(of: message)
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
        let source = CurlResponseBody(transfer, host: host)
        if head.length == 0 {
            // Read to its end, so that the connection is free.
            _ = try await source.collect(upTo: 0)
            return (head.response, HTTPBody([]))
        }
        return (head.response, HTTPBody(length: head.length, source: source))
    }

    /// Closes all connections and waits until they are closed.
    ///
    /// Unfinished requests and responses fail with `TransportError` `connectionLost`; the next request opens new
    /// connections.
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
    /// Reads the identity as far as it is possible without a TLS library.
    fileprivate func checkForCurl() throws(InvalidRequestError) {
        guard Self.hasBlock(["CERTIFICATE"], self.certificateChain) else {
            throw InvalidRequestError("clientIdentity", reason: "the certificate chain is no PEM of certificates")
        }
        let kinds = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"]
        guard self.privateKey.withUnredacted({ Self.hasBlock(kinds, $0) }) else {
            throw InvalidRequestError("clientIdentity", reason: "the private key is no unencrypted PEM of a key")
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

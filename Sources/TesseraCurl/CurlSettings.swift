// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
internal import TesseraOAuth
internal import TesseraSupport

/// A transport's settings.
struct CurlSettings: Sendable {
    let insecure: Insecure
    let timeouts: TransportTimeouts
    /// The certificate files that libcurl does not trust by default.
    let additionalRootFiles: [String]
    private let trustRoots: TrustRoots
    let identity: ClientIdentity?
    let offersHTTP2: Bool
    let proxy: ProxyEnvironment
    /// Whether libcurl's TLS library would write connection keys to a file.
    let hasKeyLog: Bool

    init(
        insecure: Insecure,
        timeouts: TransportTimeouts,
        additionalTrustRoots: [String],
        identity: ClientIdentity?,
        offersHTTP2: Bool,
        environment: ProcessVariables
    ) {
        self.insecure = insecure
        self.timeouts = timeouts
        let files = additionalTrustRoots + [environment.certificateFile].compactMap(\.self)
        self.additionalRootFiles = files.filter { $0 != CurlLibrary.loaded.systemRoots }
        self.trustRoots = TrustRoots(self.additionalRootFiles)
        self.identity = identity
        self.offersHTTP2 = offersHTTP2
        self.proxy = ProxyEnvironment(environment)
        // libcurl and its TLS library read the process's environment.
        self.hasKeyLog = [environment, .process].contains { $0.first(of: "SSLKEYLOGFILE") != nil }
    }

    /// Returns the path of a file with the current root certificates, an empty string if libcurl's own are sufficient, or
    /// nil if a file cannot be read.
    func rootsPath() -> String? {
        self.additionalRootFiles.isEmpty ? "" : self.trustRoots.path()
    }

    /// The size of the buffer for sending a request with a body.
    ///
    /// A smaller one costs more system calls.
    static let uploadBufferSize = 512 << 10

    var idleMilliseconds: Int64 { Self.milliseconds(self.timeouts.idle) }

    /// Sets the options that all requests have in common.
    ///
    /// - Parameters:
    ///   - easy: The handle.
    ///   - roots: The path of the root certificates, or an empty string for libcurl's own.
    ///   - require: A closure that is called with the result of setting each required option.
    func prepare(_ easy: UnsafeMutableRawPointer, roots: String, _ require: (CURLcode) -> Void) {
        func number(_ option: CURLoption, _ value: Int) { require(tessera_curl_set_number(easy, option, value)) }
        number(CURLOPT_NOSIGNAL, 1)
        number(CURLOPT_FOLLOWLOCATION, 0)
        number(CURLOPT_PATH_AS_IS, 1)
        number(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        number(CURLOPT_HTTP09_ALLOWED, 0)
        number(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        number(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        number(CURLOPT_SSL_VERIFYPEER, 1)
        number(CURLOPT_SSL_VERIFYHOST, 2)
        number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        let offersHTTP2 = self.offersHTTP2 && CurlLibrary.loaded.hasHTTP2
        number(CURLOPT_HTTP_VERSION, offersHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
        number(CURLOPT_PIPEWAIT, offersHTTP2 ? 1 : 0)
        number(CURLOPT_CONNECTTIMEOUT_MS, Int(Self.milliseconds(self.timeouts.connect)))
        // libcurl allocates these buffers for each request, the second one only over TLS or with a body. TLS libraries
        // return at most 16 KiB at once.
        number(CURLOPT_BUFFERSIZE, 16 << 10)
        number(CURLOPT_UPLOAD_BUFFERSIZE, 16 << 10)
        require(tessera_curl_set_protocols(easy, self.insecure.contains(.loopbackHTTP)))
        // An empty value prevents libcurl from evaluating `no_proxy` itself.
        require(tessera_curl_set_text(easy, CURLOPT_NOPROXY, ""))
        tessera_curl_set_quick_exit(easy)
        if self.hasKeyLog { require(tessera_curl_forbid_key_log(easy)) }
        // If a certificate directory is set, libcurl reads all of its certificates for each connection, which takes 30
        // ms instead of 2 ms. Not all TLS libraries support the option.
        if CurlLibrary.loaded.systemRoots != nil { _ = tessera_curl_set_text(easy, CURLOPT_CAPATH, nil) }
        if !roots.isEmpty { require(tessera_curl_set_text(easy, CURLOPT_CAINFO, roots)) }
        if let identity {
            require(Self.setBlob(easy, CURLOPT_SSLCERT_BLOB, identity.certificateChain))
            require(identity.privateKey.withUnredacted { Self.setBlob(easy, CURLOPT_SSLKEY_BLOB, $0) })
        }
    }

    /// Returns the proxy for requests to an origin, or nil if they should be sent directly.
    ///
    /// - Throws: `TransportError` with `unusableProxy` if the environment specifies a proxy that cannot be used.
    func proxyServer(for origin: RequestOrigin) throws(TransportError) -> ProxyEnvironment.Server? {
        guard self.proxy.applies(to: origin.host, port: origin.port) else { return nil }
        guard let server = self.proxy.server else { throw TransportError(.unusableProxy, host: origin.host) }
        return server
    }

    /// Sets the options for a proxy, or for a direct connection.
    func use(_ proxy: ProxyEnvironment.Server?, on easy: UnsafeMutableRawPointer, _ require: (CURLcode) -> Void) {
        func text(_ option: CURLoption, _ value: String) { require(tessera_curl_set_text(easy, option, value)) }
        // An empty string prevents libcurl from reading the environment.
        text(CURLOPT_PROXY, proxy?.url ?? "")
        guard let proxy else { return }
        require(tessera_curl_set_number(easy, CURLOPT_HTTPPROXYTUNNEL, 1))
        if let user = proxy.user, let password = proxy.password {
            text(CURLOPT_PROXYUSERNAME, user)
            password.withUnredacted { text(CURLOPT_PROXYPASSWORD, $0) }
        }
    }

    private static func setBlob(_ easy: UnsafeMutableRawPointer, _ option: CURLoption, _ text: String) -> CURLcode {
        var text = text
        return text.withUTF8 { tessera_curl_set_blob(easy, option, $0.baseAddress, $0.count) }
    }

    /// Returns a duration in milliseconds, from 1 to the largest value that libcurl accepts, which is 24 days.
    private static func milliseconds(_ duration: Duration) -> Int64 {
        let limit = Duration.milliseconds(Int64(Int32.max))
        let (seconds, attoseconds) = min(max(duration, .milliseconds(1)), limit).components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}

extension ProxyEnvironment.Server {
    /// The proxy's URL for libcurl, without credentials.
    ///
    /// A SOCKS proxy resolves host names itself.
    fileprivate var url: String {
        let host = self.host.contains(":") ? "[\(self.host)]" : self.host
        return "\(self.kind == .http ? "http" : "socks5h")://\(host):\(self.port)"
    }
}
#endif

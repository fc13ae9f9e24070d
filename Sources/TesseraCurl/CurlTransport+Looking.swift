// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
internal import HTTPTypes
package import TesseraOAuth
internal import TesseraSupport

extension CurlTransport {
    private static let looking = BlockingExecutor()

    /// Returns the certificate that a server or an intermediary presents, or nil if there is no TLS handshake within 10
    /// seconds.
    ///
    /// Use this only for diagnosis. The certificate is not verified, so no request is sent, and the connection is
    /// closed after the handshake.
    package func shownCertificate(of host: String, port: Int) async -> ServerCertificate? {
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        let request = HTTPRequest(method: .head, scheme: "https", authority: "\(name):\(port)", path: "/")
        guard CurlLibrary.loaded.refusal(of: self.settings) == nil,
            let target = try? RequestTarget(request, insecure: [])
        else { return nil }
        let settings = self.settings
        return try? await Self.looking.run {
            CurlLibrary.blockPipeSignal()
            return settings.shownCertificate(of: target.url, through: try settings.proxyServer(for: target.origin))
        }
    }

    /// Returns the proxy for requests to a host, without its credentials, or nil if they are sent directly.
    package func proxyName(for host: String) -> String? {
        guard self.settings.proxy.applies(to: host) else { return nil }
        return self.settings.proxy.server.map { "\($0.host):\($0.port)" } ?? "that cannot be used"
    }
}

extension CurlSettings {
    /// Opens a connection without sending a request.
    ///
    /// This method blocks until the handshake is complete.
    fileprivate func shownCertificate(of url: String, through proxy: ProxyEnvironment.Server?) -> ServerCertificate? {
        guard let roots = self.rootsPath(), let easy = curl_easy_init() else { return nil }
        defer { curl_easy_cleanup(easy) }
        var isPrepared = true
        func require(_ code: CURLcode) { if code != CURLE_OK { isPrepared = false } }
        func number(_ option: CURLoption, _ value: Int) { require(tessera_curl_set_number(easy, option, value)) }

        self.prepare(easy, roots: roots, require)
        self.use(proxy, on: easy, require)
        require(tessera_curl_set_text(easy, CURLOPT_URL, url))
        number(CURLOPT_SSL_VERIFYPEER, 0)
        number(CURLOPT_SSL_VERIFYHOST, 0)
        number(CURLOPT_CERTINFO, 1)
        number(CURLOPT_CONNECT_ONLY, 1)
        number(CURLOPT_TIMEOUT_MS, 10_000)
        guard isPrepared, curl_easy_perform(easy) == CURLE_OK else { return nil }
        return tessera_curl_certificate(easy).flatMap { ServerCertificate(pem: String(cString: $0)) }
    }
}
#endif

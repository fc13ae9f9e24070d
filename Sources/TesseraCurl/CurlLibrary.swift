// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
internal import TesseraOAuth
internal import TesseraSupport

/// A libcurl library and its capabilities.
///
/// The library loaded at run time may differ from the one used for the build, and may use another TLS library.
struct CurlLibrary: Sendable {
    /// The version of the library, such as `7.88.1`.
    var version: String
    /// The version as a number, such as 0x075801.
    var number: UInt32
    /// The name and version of the TLS library, such as `OpenSSL/3.0.19`.
    var tlsLibrary: String
    var hasTLS = true
    var hasHTTP2 = true
    /// Whether the TLS library can be prevented from writing keys to the file that `SSLKEYLOGFILE` specifies.
    var canForbidKeyLog = true
    /// Whether the library can trust other certificates in addition to the system's.
    var hasTrustRoots = true
    /// The file that contains the system's certificates, or nil if there is only a directory of certificates.
    var systemRoots: String?

    /// The library that the process has loaded and initialized.
    static let loaded = CurlLibrary()

    /// Whether the TLS library is OpenSSL rather than one of its forks, which have other names.
    var usesOpenSSL: Bool { self.tlsLibrary.hasPrefix("OpenSSL/") }

    init(version: String, number: UInt32, tlsLibrary: String) {
        (self.version, self.number, self.tlsLibrary) = (version, number, tlsLibrary)
    }

    private init() {
        let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
        self.init(
            version: String(cString: tessera_curl_version_text()),
            number: tessera_curl_version(),
            tlsLibrary: String(cString: tessera_curl_tls_library())
        )
        self.hasHTTP2 = tessera_curl_has(CURL_VERSION_HTTP2)
        self.canForbidKeyLog = tessera_curl_can_forbid_key_log()
        self.systemRoots = tessera_curl_system_roots().map { String(cString: $0) }
            .flatMap { FileManager.default.isReadableFile(atPath: $0) ? $0 : nil }
        guard isInitialized, let easy = curl_easy_init() else {
            self.hasTLS = false
            return
        }
        defer { curl_easy_cleanup(easy) }
        self.hasTLS = tessera_curl_has(CURL_VERSION_SSL)
        // There is no feature flag for this. libcurl rejects the option if its TLS library does not support it.
        self.hasTrustRoots = tessera_curl_set_blob(easy, CURLOPT_CAINFO_BLOB, "-", 1) == CURLE_OK
    }

    /// Blocks SIGPIPE on this thread, so that a connection closed by a server does not end the process.
    ///
    /// With `CURLOPT_NOSIGNAL`, libcurl leaves SIGPIPE to the application, and version 7.80 raises it with OpenSSL.
    static func blockPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Returns the reason why a transport with these settings cannot use the library, or nil if it can.
    func refusal(of settings: CurlSettings) -> TransportError.Code? {
        // Version 7.80 added `CURLOPT_PREREQFUNCTION`, which is needed to prevent a request from being sent twice.
        guard self.number >= 0x07_5000 else {
            return .unusableLibrary(
                "libcurl \(self.version) cannot be used: it is older than 7.80",
                advice: "Install libcurl 7.80 or newer."
            )
        }
        guard self.hasTLS else {
            return .unusableLibrary(
                "libcurl \(self.version) cannot be used: it does not support TLS",
                advice: "Install a libcurl that was built with OpenSSL."
            )
        }
        if settings.hasKeyLog, !self.canForbidKeyLog {
            return .unusableLibrary(
                "libcurl \(self.version) cannot be used: \(self.tlsLibrary) would write the connections' keys to the file "
                    + "named by SSLKEYLOGFILE",
                advice: "Unset SSLKEYLOGFILE, or install a libcurl that was built with OpenSSL as a shared library."
            )
        }
        if !settings.additionalRootFiles.isEmpty, !self.hasTrustRoots {
            return .unusableLibrary(
                "libcurl \(self.version) cannot be used: with \(self.tlsLibrary) it trusts only the system's certificates",
                advice:
                    "Add the certificates to the system's instead of naming them in SSL_CERT_FILE or as additional trust "
                    + "roots, or install a libcurl that was built with OpenSSL."
            )
        }
        return nil
    }
}
#endif

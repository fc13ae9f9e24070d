// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

#if !canImport(Darwin) && AsyncHTTPClient
internal import TesseraAsyncHTTPClient
#endif

extension PlatformDefaults {
    /// Returns the certificate that a server presents, verified or not, to explain a failed TLS handshake.
    ///
    /// No request is sent. Nil if there is no handshake, and on Apple platforms, whose error says what is wrong.
    public static func serverCertificate(of host: String, port: Int) async -> ServerCertificate? {
        #if !canImport(Darwin) && AsyncHTTPClient
        await AsyncHTTPClientTransport().shownCertificate(of: host, port: port)
        #else
        nil
        #endif
    }

    /// Returns the proxy that the environment names for a host, without credentials; nil if there is none, and on Apple
    /// platforms, where it is a system setting.
    public static func proxyName(for host: String) -> String? {
        #if !canImport(Darwin) && AsyncHTTPClient
        AsyncHTTPClientTransport().proxyName(for: host)
        #else
        nil
        #endif
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraOAuth

#if !canImport(Darwin) && AsyncHTTPClient
internal import TesseraAsyncHTTPClient
#endif

extension PlatformDefaults {
    /// The certificate that answers for a host; nothing is sent, and nothing is believed.
    ///
    /// Nil where there is no handshake, and on Apple's systems, whose own error says what it can.
    package static func shownCertificate(of host: String, port: Int) async -> ShownCertificate? {
        #if !canImport(Darwin) && AsyncHTTPClient
        await AsyncHTTPClientTransport().shownCertificate(of: host, port: port)
        #else
        nil
        #endif
    }

    /// The proxy that the environment names for a host, without credentials; nil for none, and on Apple's systems, where
    /// it is a setting of the system.
    package static func proxyName(for host: String) -> String? {
        #if !canImport(Darwin) && AsyncHTTPClient
        AsyncHTTPClientTransport().proxyName(for: host)
        #else
        nil
        #endif
    }
}

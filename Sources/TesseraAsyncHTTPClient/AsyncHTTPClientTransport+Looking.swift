// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import TesseraSupport
package import TesseraOAuth

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension AsyncHTTPClientTransport {
    /// Looks at the certificate that answers for a host: of the server, or of who stands between.
    ///
    /// For a diagnosis alone. Nothing is verified, and so nothing is sent: the connection ends with the handshake.
    ///
    /// - Parameters:
    ///   - host: the host.
    ///   - port: its port.
    /// - Returns: what the certificate says of itself; nil where there is no handshake.
    package func shownCertificate(of host: String, port: Int) async -> ServerCertificate? {
        let isProxied = self.settings.proxy.applies(to: host, port: port)
        if isProxied, self.settings.proxy.server == nil { return nil }
        var configuration = self.settings.clientConfiguration(
            proxy: isProxied ? self.settings.proxy.server.map { HTTPClient.Configuration.Proxy($0) } : nil
        )
        configuration.tlsConfiguration?.certificateVerification = .none
        configuration.httpVersion = .http1Only
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(10), read: .seconds(10))
        let seen = SeenCertificate()
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.nioSSL_peerCertificate()
                .flatMapThrowing { certificate in
                    seen.take(certificate)
                    // A connection that failed to open is given no request.
                    throw CancellationError()
                }
        }
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        var request = HTTPClientRequest(url: "https://\(name):\(port)/")
        request.method = .HEAD
        _ = try? await client.execute(request, timeout: .seconds(10))
        try? await client.shutdown()
        return seen.certificate
    }

    /// The proxy through which a host is reached, without credentials; nil where it is reached directly.
    package func proxyName(for host: String) -> String? {
        guard self.settings.proxy.applies(to: host) else { return nil }
        return self.settings.proxy.server.map { "\($0.host):\($0.port)" } ?? "that cannot be used"
    }
}

/// What a handshake showed.
private final class SeenCertificate: Sendable {
    private let seen = Mutex<ServerCertificate?>(nil)

    var certificate: ServerCertificate? { self.seen.withLock { $0 } }

    func take(_ certificate: NIOSSLCertificate?) {
        guard let certificate else { return }
        let issuer = (try? certificate.toDERBytes()).flatMap { CertificateIssuer.name(inDER: $0) }
        let shown = ServerCertificate(
            issuer: issuer,
            validFrom: Date(timeIntervalSince1970: Double(certificate.notValidBefore)),
            validUntil: Date(timeIntervalSince1970: Double(certificate.notValidAfter))
        )
        self.seen.withLock { $0 = shown }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL
internal import TesseraOAuth

/// A transport's settings.
struct TransportSettings: Sendable {
    let insecure: Insecure
    let timeouts: TransportTimeouts
    let trustRootFiles: [String]
    let identity: TLSIdentity?
    let proxy: ProxyEnvironment

    init(
        insecure: Insecure,
        timeouts: TransportTimeouts,
        additionalTrustRoots: [String],
        identity: TLSIdentity? = nil,
        environment: ProcessVariables
    ) {
        self.insecure = insecure
        self.timeouts = timeouts
        self.trustRootFiles = additionalTrustRoots + (environment.certificateFile.map { [$0] } ?? [])
        self.identity = identity
        self.proxy = ProxyEnvironment(environment)
    }

    func clientConfiguration(proxy: HTTPClient.Configuration.Proxy?) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.additionalTrustRoots = self.trustRootFiles.map { .file($0) }
        if let identity {
            tls.certificateChain = identity.certificates.map { .certificate($0) }
            tls.privateKey = .privateKey(identity.key)
        }
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.concurrentHTTP1ConnectionsPerHostSoftLimit = 128
        // Report a refused connection or an invalid certificate immediately and leave retries to the caller.
        pool.retryConnectionEstablishment = false
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            // ``UploadLimit`` replaces the timeout for writing.
            timeout: HTTPClient.Configuration.Timeout(
                connect: Self.amount(self.timeouts.connect),
                read: Self.amount(self.timeouts.idle)
            ),
            connectionPool: pool,
            proxy: proxy,
            decompression: .disabled
        )
        configuration.tracing.tracer = nil
        // Every chunk of a body is passed from one thread to another, so use larger chunks than the default of 64 KiB.
        // Despite its name, this initializer is the only way to access a connection's channel.
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: 256 << 10)
            )
        }
        configuration.networkFrameworkWaitForConnectivity = false
        return configuration
    }

    private static func amount(_ duration: Duration) -> TimeAmount {
        max(TimeAmount(duration), .milliseconds(1))
    }
}

/// A client's parsed certificates and private key.
struct TLSIdentity: Sendable {
    let certificates: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    init(_ identity: ClientIdentity) throws(InvalidRequestError) {
        do {
            self.certificates = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificateChain.utf8))
        } catch {
            throw InvalidRequestError("clientIdentity", reason: "the certificate chain is not PEM-encoded certificates")
        }
        guard !self.certificates.isEmpty else {
            throw InvalidRequestError("clientIdentity", reason: "the certificate chain is empty")
        }
        do {
            self.key = try NIOSSLPrivateKey(bytes: identity.privateKey.withUnredacted { Array($0.utf8) }, format: .pem)
        } catch {
            throw InvalidRequestError("clientIdentity", reason: "the private key is not an unencrypted PEM key")
        }
    }
}

extension HTTPClient.Configuration.Proxy {
    init(_ server: ProxyEnvironment.Server) {
        switch server.kind {
        case .http:
            let authorization = server.user.map { user in
                HTTPClient.Authorization.basic(
                    username: user,
                    password: server.password?.withUnredacted { $0 } ?? ""
                )
            }
            self = .server(host: server.host, port: server.port, authorization: authorization)
        case .socks5:
            self = .socksServer(host: server.host, port: server.port)
        }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import AsyncHTTPClient
internal import Dispatch
internal import NIOPosix
internal import NIOSSL
internal import TesseraSupport
internal import TesseraOAuth

/// A transport's HTTP clients, which close their connections when the pool is released.
///
/// A response's body retains its pool, so a transport can be released while a response is still being read.
final class ConnectionPool: Sendable {
    private let direct: HTTPClient
    private let proxied: HTTPClient?
    private let proxy: ProxyEnvironment
    private let lastHead = Mutex<ResponseHead?>(nil)

    init(_ settings: TransportSettings) {
        self.direct = Self.makeClient(settings.clientConfiguration(proxy: nil))
        self.proxied = settings.proxy.server.map {
            Self.makeClient(settings.clientConfiguration(proxy: HTTPClient.Configuration.Proxy($0)))
        }
        self.proxy = settings.proxy
    }

    // async-http-client traps in debug builds if a client is released without being shut down.
    deinit {
        self.direct.shutdown(queue: .global()) { _ in }
        self.proxied?.shutdown(queue: .global()) { _ in }
    }

    func client(for origin: RequestOrigin) throws(TransportError) -> HTTPClient {
        guard self.proxy.applies(to: origin.host, port: origin.port) else { return self.direct }
        guard let proxied else { throw TransportError(.unusableProxy, host: origin.host) }
        return proxied
    }

    func head(of response: HTTPClientResponse, host: String) throws(TransportError) -> ResponseHead {
        let last = self.lastHead.withLock { $0 }
        if let last, last.isHead(of: response) { return last }
        let head = try ResponseHead(response, after: last, host: host)
        self.lastHead.withLock { $0 = head }
        return head
    }

    func shutdown() async {
        try? await self.direct.shutdown()
        try? await self.proxied?.shutdown()
    }

    private static func makeClient(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        // Network.framework, the default on Apple platforms, ignores additional trust roots and client certificates.
        let tls = configuration.tlsConfiguration
        if tls?.additionalTrustRoots.isEmpty == false || tls?.certificateChain.isEmpty == false {
            return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        }
        return HTTPClient(configuration: configuration)
    }
}
#endif

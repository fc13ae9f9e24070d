// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import TesseraSupport
#if LocalProviderTLS
internal import HummingbirdTLS
#endif

@available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
extension LocalProvider {
    /// Creates a server for http or https.
    ///
    /// - Parameters:
    ///   - options: The options of the provider.
    ///   - connections: The connections that the server has accepted and does not serve yet.
    ///   - dateOffset: Returns the number of seconds by which the `Date` field of responses is wrong.
    /// - Returns: The server and, for https, the certificate authority's certificate in PEM format.
    /// - Throws: ``LocalProviderError`` if the certificate cannot be created.
    static func server(
        _ options: LocalProviderOptions,
        _ connections: AcceptedConnections,
        dateOffset: @escaping @Sendable () -> Int
    ) throws -> (server: HTTPServerBuilder, authorityPEM: String?) {
        let server = HTTPServerBuilder { responder in
            let channel = HTTP1Channel(
                responder: responder,
                configuration: .init(additionalChannelHandlers: [DateOffset(dateOffset)])
            )
            return WatchedChannel(base: channel, connections: connections)
        }
        #if LocalProviderTLS
        if options.tls {
            let tls = try LocalTLS(for: options)
            return (try .tls(server, tlsConfiguration: tls.configuration), tls.authorityPEM)
        }
        #endif
        return (server, nil)
    }
}

/// The connections that a server has accepted and does not serve yet.
///
/// SwiftNIO terminates the process if a server stops meanwhile
/// ([swift-nio issue 2637](https://github.com/apple/swift-nio/issues/2637)).
final class AcceptedConnections: Sendable {
    private struct State {
        var waiting: Set<ObjectIdentifier> = []
        var observers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func add(_ channel: any Channel) {
        self.state.withLock { _ = $0.waiting.insert(ObjectIdentifier(channel)) }
        channel.closeFuture.whenComplete { _ in self.remove(channel) }
    }

    func remove(_ channel: any Channel) {
        let observers = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.waiting.remove(ObjectIdentifier(channel))
            guard state.waiting.isEmpty else { return [] }
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers { observer.resume() }
    }

    /// Returns when every connection is served or closed.
    func served() async {
        await withCheckedContinuation { continuation in
            let isServed = self.state.withLock { state in
                if !state.waiting.isEmpty { state.observers.append(continuation) }
                return state.waiting.isEmpty
            }
            if isServed { continuation.resume() }
        }
    }
}

/// A channel whose connections are watched until they are served.
private struct WatchedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let connections: AcceptedConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        self.connections.add(channel)
        return self.base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        self.connections.remove(value.channel)
        await self.base.handle(value: value, logger: logger)
    }
}
#endif

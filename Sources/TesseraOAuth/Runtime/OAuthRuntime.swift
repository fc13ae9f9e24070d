// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes

/// Everything that the library takes from the outside world, in one value.
///
/// - SeeAlso: [RFC 6749, section 10.10](https://www.rfc-editor.org/rfc/rfc6749.html#section-10.10)
public struct OAuthRuntime: Sendable {
    /// The network.
    public var transport: any HTTPTransport
    /// The wall clock, for claims and stored expiry times.
    public var now: @Sendable () -> Date
    /// Time since an arbitrary start, in nanoseconds, that never jumps and goes on while the machine sleeps.
    public var uptime: @Sendable () -> Int64 {
        didSet { self.coarseUptime = self.uptime }
    }
    /// The same to a few milliseconds, for what is asked at every call; the system's, unless an ``uptime`` was given.
    package private(set) var coarseUptime: @Sendable () -> Int64
    /// What waits: back-off, deadlines, polling.
    public var clock: any Clock<Duration>
    /// Bytes from a cryptographically secure source.
    public var randomBytes: @Sendable (_ count: Int) -> [UInt8]
    /// Watches every exchange; nil, as it is at first, lets them go unseen.
    public var observer: (any ExchangeObserver)?
    /// What suspends the process; nil on a system that does not.
    ///
    /// The system's own in a runtime with the system's clocks, nil in one made of parts.
    public var suspension: ProcessSuspension?
    /// Decrypts tokens that the provider encrypts for this client; nil, as it is at first, refuses them.
    public var decrypt: JWTPolicy.Decryption?

    /// The real world, with the given network.
    public init(transport: any HTTPTransport) {
        self.init(
            transport: transport,
            now: { Date() },
            uptime: SystemUptime.nanoseconds,
            clock: ContinuousClock(),
            randomBytes: SystemRandomBytes.make
        )
        self.coarseUptime = SystemUptime.coarse
        self.suspension = .system
    }

    /// A world made of the given parts.
    public init(
        transport: any HTTPTransport,
        now: @escaping @Sendable () -> Date,
        uptime: @escaping @Sendable () -> Int64,
        clock: any Clock<Duration>,
        randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]
    ) {
        self.transport = transport
        self.now = now
        self.uptime = uptime
        self.coarseUptime = uptime
        self.clock = clock
        self.randomBytes = randomBytes
    }

    /// Sends one message of the protocol and reads its whole answer: at most 1 MiB, within `deadline`.
    ///
    /// - Throws: ``TransportError``, `CancellationError`.
    public func exchange(
        _ message: OAuthMessage,
        deadline: Duration = .seconds(60)
    ) async throws -> (HTTPResponse, [UInt8]) {
        let transport = self.transport
        return try await Deadline.run(deadline, clock: self.clock) {
            let (response, body) = try await transport.send(message.request, body: message.body.map { HTTPBody($0) })
            return (response, try await body.collect(upTo: 1 << 20))
        }
    }
}

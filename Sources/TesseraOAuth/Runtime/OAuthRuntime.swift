// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes

/// The network transport, clocks and source of randomness that the library uses.
///
/// - SeeAlso: [RFC 6749, section 10.10](https://www.rfc-editor.org/rfc/rfc6749.html#section-10.10)
public struct OAuthRuntime: Sendable {
    /// The network transport.
    public var transport: any HTTPTransport
    /// The wall clock, for claims and stored expiration times.
    public var now: @Sendable () -> Date
    /// The time since an arbitrary start, in nanoseconds.
    ///
    /// It is monotonic and includes the time that the machine is asleep.
    public var uptime: @Sendable () -> Int64 {
        didSet { self.coarseUptime = self.uptime }
    }
    /// The uptime with a resolution of a few milliseconds, for frequent use, or ``uptime`` if that is custom.
    package private(set) var coarseUptime: @Sendable () -> Int64
    /// The clock for delays, deadlines and polling.
    public var clock: any Clock<Duration>
    /// A function that returns random bytes from a cryptographically secure source.
    public var randomBytes: @Sendable (_ count: Int) -> [UInt8]
    /// The observer of all exchanges.
    ///
    /// Defaults to nil.
    public var observer: (any ExchangeObserver)?
    /// Support for process suspension by the system, or nil if the system does not suspend processes.
    ///
    /// ``init(transport:)`` uses the system's implementation, and the other initializer uses nil.
    public var suspension: ProcessSuspension?
    /// A function that makes a transport with a client certificate, or nil (the default) if there is none.
    ///
    /// Google's external accounts with X.509 certificates and its metadata server over TLS require it. The second
    /// argument contains the paths of PEM files with additional certificates to trust.
    public var transportWithIdentity:
        (@Sendable (_ identity: ClientIdentity, _ additionalTrustRoots: [String]) throws -> any HTTPTransport)?
    /// The function that decrypts tokens for this client, or nil (the default) to reject encrypted tokens.
    public var decrypt: JWTPolicy.Decryption?

    /// Creates a runtime with a transport and the system's clocks and random number generator.
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

    /// Creates a runtime with custom clocks and a custom source of randomness.
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

    /// Sends a message and returns the whole response, which must not exceed 1 MiB and must arrive within `deadline`.
    ///
    /// - Throws: ``TransportError`` or `CancellationError`.
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

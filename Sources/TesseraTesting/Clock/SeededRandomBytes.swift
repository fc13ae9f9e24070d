// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth
internal import TesseraSupport

/// A deterministic sequence of bytes that depends only on the seed.
///
/// Each call returns the next bytes in the sequence. The sequence uses SplitMix64 and is predictable, so use it only in
/// tests.
public final class SeededRandomBytes: Sendable {
    private let state: Mutex<UInt64>

    /// Creates a sequence from a seed.
    public init(seed: UInt64 = 1) { self.state = Mutex(seed) }

    /// A function that returns the next bytes, for use with `OAuthRuntime`.
    public var source: @Sendable (_ count: Int) -> [UInt8] { { self.next($0) } }

    /// Returns the next bytes in the sequence.
    public func next(_ count: Int) -> [UInt8] {
        self.state.withLock { state in
            (0..<max(0, count))
                .map { _ in
                    state &+= 0x9E37_79B9_7F4A_7C15
                    var mixed = state
                    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
                    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                    return UInt8(truncatingIfNeeded: mixed ^ (mixed >> 31))
                }
        }
    }
}

extension OAuthRuntime {
    /// Returns a deterministic runtime with a custom transport, a manual clock and seeded random bytes.
    public static func testing(
        transport: any HTTPTransport,
        clock: TestClock = TestClock(),
        randomBytes: SeededRandomBytes = SeededRandomBytes()
    ) -> OAuthRuntime {
        OAuthRuntime(
            transport: transport,
            now: clock.wallClock,
            uptime: clock.uptime,
            clock: clock,
            randomBytes: randomBytes.source
        )
    }
}

/// A clock that advances automatically when a task sleeps for less than a minute.
///
/// Use this clock for loops that wait between steps, such as polling and backoff. It advances a ``TestClock``. Time
/// limits, which are sleeps with a tolerance, and longer sleeps wait until the test advances that clock.
public struct SelfAdvancingClock: Clock {
    /// The clock that this clock advances.
    public let clock: TestClock
    /// The duration from which a sleep no longer advances the clock.
    public static let maximumAutomaticSleep: Duration = .seconds(60)

    /// Creates a clock that advances another clock.
    public init(moving clock: TestClock = TestClock()) { self.clock = clock }

    /// The time since the clock's start.
    public var now: TestClock.Instant { self.clock.now }
    /// The minimum resolution, which is zero because the clock is exact.
    public var minimumResolution: Duration { .zero }

    /// Advances the clock to the deadline, or waits until the test advances it.
    ///
    /// - Throws: `CancellationError` if the task is canceled.
    public func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let duration = self.now.duration(to: deadline)
        if tolerance == nil, duration < Self.maximumAutomaticSleep {
            return self.clock.advance(by: max(duration, .zero))
        }
        try await self.clock.sleep(until: deadline, tolerance: tolerance)
    }
}

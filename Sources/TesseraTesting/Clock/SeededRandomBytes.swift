// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth
internal import TesseraSupport

/// Random bytes that are the same in every run: each call gives other bytes, the same seed the same sequence.
///
/// For tests only; the sequence is SplitMix64's and anyone can continue it.
public final class SeededRandomBytes: Sendable {
    private let state: Mutex<UInt64>

    /// The sequence of a seed.
    public init(seed: UInt64 = 1) { self.state = Mutex(seed) }

    /// The next bytes of the sequence, in the shape that `OAuthRuntime` takes.
    public var source: @Sendable (_ count: Int) -> [UInt8] { { self.next($0) } }

    /// The next bytes of the sequence.
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
    /// A world in which nothing happens by itself: a scripted network, a clock moved by hand, known random bytes.
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

/// A clock that nobody has to move: whoever sleeps less than a minute wakes at once, and the time has passed.
///
/// For loops that wait between their steps: polling, back-off. It moves a ``TestClock``, and sleeps on that one for a
/// minute and more, as deadlines do.
public struct ImpatientClock: Clock {
    /// The clock that is moved.
    public let clock: TestClock
    /// From here on a sleep is one on the moved clock.
    public static let patience: Duration = .seconds(60)

    /// A clock that moves another one.
    public init(moving clock: TestClock = TestClock()) { self.clock = clock }

    /// The time since the start.
    public var now: TestClock.Instant { self.clock.now }
    /// The clock is exact.
    public var minimumResolution: Duration { .zero }

    /// Moves the time to the deadline, or sleeps until somebody else does.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let duration = self.now.duration(to: deadline)
        if duration < Self.patience { return self.clock.advance(by: max(duration, .zero)) }
        try await self.clock.sleep(until: deadline, tolerance: tolerance)
    }
}

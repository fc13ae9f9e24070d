// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The machine's own clock that counts sleep and never jumps.
enum SystemUptime {
    /// Nanoseconds since boot, or since another arbitrary start.
    static let nanoseconds: @Sendable () -> Int64 = {
        #if canImport(Darwin)
        Self.read(CLOCK_MONOTONIC_RAW)
        #else
        Self.read(CLOCK_BOOTTIME)
        #endif
    }

    /// The same, as it was at the kernel's last tick: a few milliseconds late at the most, at a quarter of the price.
    static let coarse: @Sendable () -> Int64 = {
        #if canImport(Darwin)
        Self.read(CLOCK_MONOTONIC_RAW_APPROX)
        #else
        Self.ticked()
        #endif
    }

    #if !canImport(Darwin)
    private static let ticked = TickedUptime(tick: { Self.read(CLOCK_MONOTONIC_COARSE) }, uptime: Self.nanoseconds)
    #endif

    @inline(__always)
    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

#if !canImport(Darwin)
/// An uptime that is read once per tick of a cheaper clock, and remembered until the next.
///
/// The cheaper clock may stand still while the machine sleeps; the uptime counts the sleep, since the kernel ticks when
/// it wakes.
final class TickedUptime: Sendable {
    private let tick: @Sendable () -> Int64
    private let uptime: @Sendable () -> Int64
    private let lastTick = Atomic<Int64>(.min)
    private let lastUptime = Atomic<Int64>(.min)

    init(tick: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> Int64) {
        self.tick = tick
        self.uptime = uptime
    }

    /// The uptime of this tick, in nanoseconds; never less than one that was given before.
    func callAsFunction() -> Int64 {
        let tick = self.tick()
        if self.lastTick.load(ordering: .acquiring) == tick { return self.lastUptime.load(ordering: .relaxed) }
        // The time goes first: whoever sees the tick sees a time that is at least the tick's. Two threads may do this at
        // once, in any order, and the later time stays.
        let uptime = self.lastUptime.max(self.uptime(), ordering: .relaxed).newValue
        self.lastTick.store(tick, ordering: .releasing)
        return uptime
    }
}
#endif

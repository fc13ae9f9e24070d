// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The machine's monotonic clock, which includes the time that the machine is asleep.
enum SystemUptime {
    /// A function that returns the nanoseconds since the system started, or since another arbitrary time.
    static let nanoseconds: @Sendable () -> Int64 = {
        #if canImport(Darwin)
        Self.read(CLOCK_MONOTONIC_RAW)
        #else
        Self.read(CLOCK_BOOTTIME)
        #endif
    }

    /// A faster function that returns the uptime at the kernel's last tick, at most a few milliseconds old.
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
/// An uptime that is read once per tick of a faster clock and cached until the next tick.
///
/// The faster clock can stop while the machine is asleep. The uptime still includes the sleep, because the kernel ticks
/// when the machine wakes.
final class TickedUptime: Sendable {
    private let tick: @Sendable () -> Int64
    private let uptime: @Sendable () -> Int64
    private let lastTick = Atomic<Int64>(.min)
    private let lastUptime = Atomic<Int64>(.min)

    init(tick: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> Int64) {
        self.tick = tick
        self.uptime = uptime
    }

    /// Returns the uptime at the current tick, in nanoseconds, which is never less than an earlier result.
    func callAsFunction() -> Int64 {
        let tick = self.tick()
        if self.lastTick.load(ordering: .acquiring) == tick { return self.lastUptime.load(ordering: .relaxed) }
        // Store the uptime before the tick, so that a thread that reads the tick never reads an older uptime. If two
        // threads run this concurrently, in any order, the later uptime remains.
        let uptime = self.lastUptime.max(self.uptime(), ordering: .relaxed).newValue
        self.lastTick.store(tick, ordering: .releasing)
        return uptime
    }
}
#endif

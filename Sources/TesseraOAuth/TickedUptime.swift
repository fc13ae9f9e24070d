// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import Synchronization

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

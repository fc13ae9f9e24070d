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

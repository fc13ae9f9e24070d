// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The machine's own clock that counts sleep and never jumps.
enum SystemUptime {
    /// Nanoseconds since boot, or since another arbitrary start.
    static let nanoseconds: @Sendable () -> Int64 = {
        var time = timespec()
        #if canImport(Darwin)
        clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        #else
        clock_gettime(CLOCK_BOOTTIME, &time)
        #endif
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

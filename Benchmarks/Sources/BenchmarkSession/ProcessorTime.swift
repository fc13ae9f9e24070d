// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#endif

/// Time on the processor: what other programs do in the meantime does not count.
public enum ProcessorTime {
    /// Nanoseconds that this thread has run.
    public static var thread: Double { Self.read(CLOCK_THREAD_CPUTIME_ID) }
    /// Nanoseconds that all threads of this process have run.
    public static var process: Double { Self.read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

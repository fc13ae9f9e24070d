// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#endif

/// Processor time, which does not include the time of other programs.
public enum ProcessorTime {
    /// The processor time of this thread in nanoseconds.
    public static var thread: Double { Self.read(CLOCK_THREAD_CPUTIME_ID) }
    /// The processor time of all threads of this process in nanoseconds.
    public static var process: Double { Self.read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

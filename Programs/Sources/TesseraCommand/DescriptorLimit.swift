// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The limit on the files that a process may have open at once (`ulimit -n`).
enum DescriptorLimit {
    /// The smallest limit with which every program of this package works.
    ///
    /// SwiftNIO starts an event loop for each processor, opens up to three descriptors for each, and traps where it
    /// cannot. Measured on Linux with two processors: `tessera-provider` needs 16, a sign-in 24 and `tessera-demo`,
    /// which is provider and client in one process, 40.
    ///
    /// - Parameter processors: How many processors the machine has.
    /// - Returns: The limit.
    static func minimum(processors: Int) -> Int { 48 + 3 * processors }

    /// The limit and the minimum, where this process's limit is too small; nil where it is not.
    static var shortage: (limit: Int, minimum: Int)? {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        let minimum = Self.minimum(processors: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        return limit < 0 || limit >= minimum ? nil : (limit, minimum)
    }
}
<<<<<<<< HEAD:Programs/Sources/TesseraCommand/DescriptorLimit.swift
========
#endif

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
/// The signals that ask a program to end.
package enum EndingSignals {
    /// SIGINT, SIGTERM and SIGHUP; the last unless this process ignores it, as `nohup` lets it.
    package static var numbers: [Int32] { [SIGINT, SIGTERM] + (Self.isHangUpIgnored ? [] : [SIGHUP]) }

    /// Whether a signal that follows another one ends the process at once.
    ///
    /// A terminal that closes sends SIGHUP twice: by the kernel and by the shell.
    package static func ends(_ number: Int32) -> Bool { number != SIGHUP }

    private static var isHangUpIgnored: Bool {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        // The handler is the first member; functions cannot be compared.
        return withUnsafeBytes(of: action) { $0.load(as: UInt.self) } == unsafeBitCast(SIG_IGN, to: UInt.self)
    }
}
#endif
>>>>>>>> baaddab8 (Merge files that describe one type or one idea):Programs/Sources/TesseraCommand/ProgramSupport.swift

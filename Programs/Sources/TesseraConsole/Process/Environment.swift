// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The process's environment.
package enum Environment {
    /// A variable that is set to something.
    package static func value(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}

/// The one place where the command itself reads the time; the library has its own, in its runtime.
package enum WallClock {
    package static var now: Date { Date() }
}

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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The environment of this process.
package enum Environment {
    /// Returns the value of an environment variable, or nil if it is unset or empty.
    package static func value(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}

/// The clock for the commands, which is separate from the clock in the library's runtime.
package enum WallClock {
    package static var now: Date { Date() }
}

/// The limit on the number of files that a process can have open at the same time (`ulimit -n`).
enum DescriptorLimit {
    /// Returns the smallest limit with which every program in this package works.
    ///
    /// SwiftNIO starts an event loop for each processor, opens up to three descriptors for each, and traps if it
    /// cannot. On Linux with two processors, `tessera-provider` needs 16 descriptors, a sign-in needs 24, and
    /// `tessera demo`, which runs both the provider and the client, needs 40.
    ///
    /// - Parameter processors: The number of processors in the machine.
    /// - Returns: The limit.
    static func minimum(processors: Int) -> Int { 48 + 3 * processors }

    /// The limit and the minimum if this process's limit is too low, or nil otherwise.
    static var shortage: (limit: Int, minimum: Int)? {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        let minimum = Self.minimum(processors: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        return limit < 0 || limit >= minimum ? nil : (limit, minimum)
    }
}

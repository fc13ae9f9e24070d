// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX

/// What keeps a process's memory from other programs and from the disk.
public struct MemoryProtection: Sendable, Hashable {
    /// Whether neither a core dump nor a debugger of this user gets at it.
    public let refusesDumps: Bool
    /// Whether it is never written to swap.
    public let isLocked: Bool

    /// No protection, or what is known of another process.
    public init(refusesDumps: Bool = false, isLocked: Bool = false) {
        self.refusesDumps = refusesDumps
        self.isLocked = isLocked
    }

    /// Protects this process, as far as the system allows it.
    ///
    /// For a program that does nothing else: debuggers and crash reports are of no use from then on. Memory is locked only
    /// where the limit on it can be lifted, since a finite one would end the program when it is reached.
    ///
    /// - Returns: what is protected now.
    public static func take() -> MemoryProtection {
        MemoryProtection(refusesDumps: tessera_refuse_dumps() == 0, isLocked: tessera_lock_memory() == 0)
    }
}

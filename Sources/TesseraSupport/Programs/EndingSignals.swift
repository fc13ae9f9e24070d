// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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

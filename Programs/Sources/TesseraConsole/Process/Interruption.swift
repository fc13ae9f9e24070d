// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch

/// Handles SIGINT, SIGTERM and SIGHUP: the first signal cancels the work, and the second ends the process immediately.
///
/// A SIGHUP after another signal is ignored, since a terminal sends two when it closes. The signals are blocked in
/// every thread, and one thread waits for them, so no code runs in a signal handler.
package enum Interruption {
    private static let isReceived = Mutex(false)

    /// Whether a signal was received.
    package static var happened: Bool { Self.isReceived.withLock { $0 } }

    /// Blocks the signals in this thread and in all threads that it starts.
    package static func block() {
        var signals = Self.signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Restores the default signal handling before another program replaces this process.
    package static func release() {
        var signals = Self.signals
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Waits for signals on the main thread, and never returns.
    ///
    /// The first signal calls `cancel`.
    package static func wait(_ cancel: @escaping @Sendable () -> Void) -> Never {
        #if canImport(Darwin)
        // The main thread runs the main queue, on which AppKit opens browsers.
        DispatchQueue(label: "tessera.signals").async { Self.waitHere(cancel) }
        dispatchMain()
        #else
        Self.waitHere(cancel)
        #endif
    }

    private static func waitHere(_ cancel: () -> Void) -> Never {
        var signals = Self.signals
        var number: Int32 = 0
        while true {
            guard sigwait(&signals, &number) == 0 else { continue }
            let isFirst = Self.isReceived.withLock { isReceived in
                defer { isReceived = true }
                return !isReceived
            }
            if isFirst {
                cancel()
            } else if number != SIGHUP {
                Self.release()
                kill(getpid(), number)
            }
        }
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] + (Self.isHangUpIgnored ? [] : [SIGHUP]) { sigaddset(&signals, number) }
        return signals
    }

    /// Whether this process ignores SIGHUP, as it does under `nohup`.
    private static var isHangUpIgnored: Bool {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        // The handler is the first member. Compare addresses, because functions cannot be compared.
        return withUnsafeBytes(of: action) { $0.load(as: UInt.self) } == unsafeBitCast(SIG_IGN, to: UInt.self)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import TesseraSupport
#if canImport(Darwin)
internal import Darwin
internal import Dispatch
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// SIGINT, SIGTERM and SIGHUP: the first asks the work to end and lets it clean up, the second ends the process at once.
///
/// A SIGHUP that comes after another signal does nothing, since a terminal that closes sends two.
///
/// The signals are blocked in every thread, and one thread waits for them: nothing runs inside a signal handler.
enum Interruption {
    private static let isReceived = Mutex(false)

    /// Whether a signal came.
    static var happened: Bool { Self.isReceived.withLock { $0 } }

    /// Blocks the signals in this thread, and in those that it starts.
    static func block() {
        var signals = Self.signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Lets the signals do what they usually do: before another program takes this process's place.
    static func release() {
        var signals = Self.signals
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Gives the main thread to the signals; the first one calls `cancel`.
    ///
    /// The process ends elsewhere.
    static func wait(_ cancel: @escaping @Sendable () -> Void) -> Never {
        #if canImport(Darwin)
        // The main thread serves the main queue, where AppKit opens browsers.
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
            } else if EndingSignals.ends(number) {
                Self.release()
                kill(getpid(), number)
            }
        }
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in EndingSignals.numbers { sigaddset(&signals, number) }
        return signals
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import Synchronization
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// SIGINT and SIGTERM: the first asks the work to end and lets it clean up, the second ends the process at once.
///
/// The signals are blocked in every thread, and one thread waits for them: nothing runs inside a signal handler.
enum Interruption {
    private struct State {
        var received: Int32?
        var cancel: (@Sendable () -> Void)?
    }

    private static let state = Mutex(State())

    /// Blocks the signals; called before any other thread is there.
    static func begin() {
        var signals = Self.signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the signals from now on; the first calls `cancel`.
    static func watch(_ cancel: @escaping @Sendable () -> Void) {
        Self.state.withLock { $0.cancel = cancel }
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let failure = pthread_create(&thread, nil, { _ in Self.wait() }, nil)
        if failure != 0 { Self.release() }
    }

    /// Which signal came, nil while none has.
    static var received: Int32? { Self.state.withLock { $0.received } }

    /// Lets the signals do what they usually do: before another program takes this process's place.
    static func release() {
        var signals = Self.signals
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        return signals
    }

    private static func wait() -> UnsafeMutableRawPointer? {
        var signals = Self.signals
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            let cancel = Self.state.withLock { state -> (@Sendable () -> Void)? in
                defer { state.received = state.received ?? number }
                return state.received == nil ? state.cancel : nil
            }
            guard let cancel else {
                Self.release()
                kill(getpid(), number)
                continue
            }
            cancel()
        }
    }
}
#endif

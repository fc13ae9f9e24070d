// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
internal import TesseraOAuth
internal import TesseraSupport

/// The thread that drives libcurl's multi interface for one transport.
///
/// Everything of libcurl happens on that thread, in ``CurlEngine``; other threads hand in commands. The thread ends when
/// the last reference to its loop is gone, or with ``shutdown()``.
final class CurlLoop: Sendable {
    /// What other threads ask of the loop's thread.
    enum Command {
        case start(CurlTransfer, CurlMessage)
        /// Take a transfer away and close its connection.
        case cancel(CurlTransfer)
        /// The reader took what was there: go on receiving.
        case receive(CurlTransfer)
        /// There is more of the request's body.
        case send(CurlTransfer)
        case stop
    }

    let inbox: Inbox
    /// The process that the thread belongs to: a forked child has no such thread.
    let process = getpid()

    /// Starts the thread.
    ///
    /// - Throws: `TransportError` `cannotConnect` where the system has no descriptors or threads left.
    init(_ settings: CurlSettings) throws(TransportError) {
        guard let inbox = Inbox() else { throw Self.failure("eventfd") }
        self.inbox = inbox
        guard let engine = CurlEngine(settings, inbox: inbox) else { throw Self.failure("epoll_create1") }
        var thread = pthread_t()
        let box = Unmanaged.passRetained(engine)
        let number = pthread_create(
            &thread,
            nil,
            { context in
                CurlLibrary.blockPipeSignal()
                context.map { Unmanaged<CurlEngine>.fromOpaque($0).takeRetainedValue().run() }
                return nil
            },
            box.toOpaque()
        )
        guard number == 0 else {
            box.release()
            throw Self.failure("pthread_create")
        }
        pthread_detach(thread)
    }

    deinit { self.inbox.submit(.stop) }

    /// Ends all transfers and closes all connections; returns when that is done.
    func shutdown() async {
        self.inbox.submit(.stop)
        await self.inbox.ended()
    }

    private static func failure(_ call: StaticString) -> TransportError {
        TransportError(.cannotConnect, underlying: SystemError(errno, "\(call)", ""))
    }

    /// The commands that the thread has not taken yet, and what wakes it.
    final class Inbox: Sendable {
        /// An eventfd that is written to when a command comes while the thread sleeps.
        let wake: Int32
        private let state = Mutex(State())

        private struct State {
            var commands: [Command] = []
            var isAsleep = false
            var isClosed = false
            var hasEnded = false
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        init?() {
            self.wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            if self.wake < 0 { return nil }
        }

        deinit { close(self.wake) }

        /// Submits a command and wakes the thread if it sleeps.
        ///
        /// - Returns: False if the thread has ended.
        @discardableResult
        func submit(_ command: Command) -> Bool {
            let (isOpen, sleeps) = self.state.withLock { state in
                if state.isClosed { return (false, false) }
                state.commands.append(command)
                defer { state.isAsleep = false }
                return (true, state.isAsleep)
            }
            if sleeps { eventfd_write(self.wake, 1) }
            return isOpen
        }

        /// The thread is awake, perhaps because of a socket: no command needs to wake it.
        func stayAwake() { self.state.withLock { $0.isAsleep = false } }

        /// Takes all commands.
        ///
        /// If there are none, the thread sleeps next, and the next command wakes it.
        func take(into commands: inout [Command], mayBlock: Bool) {
            self.state.withLock { state in
                state.isAsleep = state.commands.isEmpty && mayBlock
                swap(&commands, &state.commands)
            }
        }

        /// The thread is about to end: returns what it will not do any more.
        func stopTaking() -> [Command] {
            self.state.withLock { state in
                state.isClosed = true
                defer { state.commands = [] }
                return state.commands
            }
        }

        /// The thread has closed all connections.
        func end() {
            let waiters = self.state.withLock { state in
                state.hasEnded = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        /// Returns when the thread has closed all connections.
        func ended() async {
            await withCheckedContinuation { continuation in
                let hasEnded = self.state.withLock { state in
                    if !state.hasEnded { state.waiters.append(continuation) }
                    return state.hasEnded
                }
                if hasEnded { continuation.resume() }
            }
        }
    }
}
#endif

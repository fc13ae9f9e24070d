// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
internal import TesseraOAuth
internal import TesseraSupport

/// The thread on which a transport runs libcurl.
///
/// libcurl is used only on this thread, in ``CurlEngine``. Other threads submit commands to it. The thread ends when
/// the last reference to the loop is released or ``shutdown()`` is called.
final class CurlLoop: Sendable {
    /// A command for the loop's thread.
    enum Command {
        case start(CurlTransfer)
        /// Removes a transfer and closes its connection.
        case cancel(CurlTransfer)
        /// Continues receiving after the reader has taken the available data.
        case receive(CurlTransfer)
        /// Continues sending after more of the request's body has become available.
        case send(CurlTransfer)
        case stop
    }

    let queue: CommandQueue
    /// The process that the thread belongs to, because a forked child process does not have the thread.
    let process = getpid()

    /// Starts the thread.
    ///
    /// - Throws: `TransportError` with `cannotConnect` if the system has run out of descriptors or threads.
    init(_ settings: CurlSettings) throws(TransportError) {
        guard let queue = CommandQueue() else { throw Self.failure("eventfd") }
        self.queue = queue
        guard let engine = CurlEngine(settings, queue: queue) else { throw Self.failure("epoll_create1") }
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

    deinit { self.queue.submit(.stop) }

    /// Ends all transfers, closes all connections and waits for the thread to finish.
    func shutdown() async {
        self.queue.submit(.stop)
        await self.queue.ended()
    }

    private static func failure(_ call: StaticString) -> TransportError {
        TransportError(.cannotConnect, underlying: SystemError(errno, "\(call)", ""))
    }

    /// A queue of commands that have not been processed yet, with an event that wakes the thread.
    final class CommandQueue: Sendable {
        /// An eventfd that is written to when a command is submitted while the thread is asleep.
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

        /// Submits a command and wakes the thread if it is asleep.
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

        /// Records that the thread is awake, so that commands do not wake it.
        func stayAwake() { self.state.withLock { $0.isAsleep = false } }

        /// Takes all commands.
        ///
        /// If no commands are pending, the thread goes to sleep, and the next command wakes it.
        func take(into commands: inout [Command], mayBlock: Bool) {
            self.state.withLock { state in
                state.isAsleep = state.commands.isEmpty && mayBlock
                swap(&commands, &state.commands)
            }
        }

        /// Closes the queue before the thread ends, and returns the commands that will not be processed.
        func stopTaking() -> [Command] {
            self.state.withLock { state in
                state.isClosed = true
                defer { state.commands = [] }
                return state.commands
            }
        }

        /// Records that the thread has closed all connections.
        func end() {
            let waiters = self.state.withLock { state in
                state.hasEnded = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        /// Waits until the thread has closed all connections.
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

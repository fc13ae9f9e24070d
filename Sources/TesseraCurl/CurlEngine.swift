// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
internal import TesseraOAuth
internal import TesseraSupport

/// An engine that performs transfers with libcurl's multi interface on a dedicated thread.
///
/// Each iteration of its loop processes commands, waits for sockets with epoll, runs libcurl, and passes the received
/// data to each transfer once.
final class CurlEngine {
    let settings: CurlSettings
    private let queue: CurlLoop.CommandQueue
    private let multi: UnsafeMutableRawPointer
    private let sockets: SocketSet
    private var active: [ObjectIdentifier: ActiveTransfer] = [:]
    /// The transfers that received data in this iteration, and those that are being handed over.
    private var touched: [ActiveTransfer] = []
    private var delivering: [ActiveTransfer] = []
    private var continuations: [CurlTransfer.Continuation] = []
    /// The handles of successful plain requests, for other plain requests.
    private var spareHandles: [CurlHandle] = []
    /// The last response head, which is often identical to the next one.
    private var lastHead: [UInt8] = []
    /// The path of the root certificates for the requests of this iteration, once one of them has needed it.
    private var roots: String?
    /// The time at which libcurl must be called even without an event.
    private var timer: Int64?
    /// The earliest time at which a transfer may time out because of inactivity.
    private var idleCheck = Int64.max
    private(set) var now = CurlEngine.milliseconds()

    init?(_ settings: CurlSettings, queue: CurlLoop.CommandQueue) {
        guard let multi = curl_multi_init() else { return nil }
        guard let sockets = SocketSet(waking: queue.wake) else {
            curl_multi_cleanup(multi)
            return nil
        }
        (self.settings, self.queue, self.multi, self.sockets) = (settings, queue, multi, sockets)
        _ = tessera_curl_multi_set_number(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        _ = tessera_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, 128)
        _ = tessera_curl_multi_set_number(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 100)
        tessera_curl_multi_detach_lookups(multi)
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = tessera_curl_multi_set_socket_function(
            multi,
            { _, socket, events, context, _ in
                context.map { Unmanaged<CurlEngine>.fromOpaque($0).takeUnretainedValue() }?
                    .sockets.want(events, of: socket)
                return 0
            },
            context
        )
        _ = tessera_curl_multi_set_timer_function(
            multi,
            { _, milliseconds, context in
                context.map { Unmanaged<CurlEngine>.fromOpaque($0).takeUnretainedValue() }?
                    .setTimer(after: milliseconds)
                return 0
            },
            context
        )
    }

    /// Runs the loop until it receives a `stop` command.
    func run() {
        var commands: [CurlLoop.Command] = []
        var isStopped = false
        var hasSkippedSockets = false
        while !isStopped {
            // Resuming a transfer may have received data that this iteration must process.
            let wait = self.touched.isEmpty ? self.untilNextTimer() : 0
            self.queue.take(into: &commands, mayBlock: wait != 0)
            let hadCommands = !commands.isEmpty
            if hadCommands { self.now = Self.milliseconds() }
            self.roots = nil
            for command in commands where !self.perform(command) { isStopped = true }
            commands.removeAll(keepingCapacity: true)
            if isStopped { break }
            // An iteration with commands does not poll the sockets, unless the previous one already skipped them.
            hasSkippedSockets = hadCommands && !hasSkippedSockets
            if !hasSkippedSockets {
                let count = self.sockets.wait(milliseconds: hadCommands ? 0 : wait)
                // The callbacks record when data arrives, which is not when the thread went to sleep.
                self.now = Self.milliseconds()
                self.sockets.deliver(count) { socket, events in
                    var running: Int32 = 0
                    curl_multi_socket_action(self.multi, socket, events, &running)
                }
                // The next iteration processes commands that are submitted from now on, so they do not need to wake the
                // thread.
                self.queue.stayAwake()
            }
            // Some calls ask to be called again immediately.
            for _ in 0..<4 {
                guard let timer, timer <= self.now else { break }
                self.timer = nil
                var running: Int32 = 0
                curl_multi_socket_action(self.multi, CURL_SOCKET_TIMEOUT, 0, &running)
            }
            self.takeEnded()
            self.endIdleTransfers()
            self.handOver()
        }
        self.stop()
    }

    /// Records that a transfer has received data or is complete.
    func touch(_ transfer: ActiveTransfer) {
        if transfer.isTouched { return }
        transfer.isTouched = true
        self.touched.append(transfer)
    }

    /// Performs a command.
    ///
    /// - Returns: False if the command is `stop`, and true otherwise.
    private func perform(_ command: CurlLoop.Command) -> Bool {
        switch command {
        case .start(let transfer):
            self.start(transfer)
        case .cancel(let transfer):
            if let active = self.active[ObjectIdentifier(transfer)] { self.remove(active, isReusable: false) }
        case .receive(let transfer):
            if let active = self.active[ObjectIdentifier(transfer)] {
                active.buffered = 0
                active.resume(.receiving, at: self.now)
            }
        case .send(let transfer):
            self.active[ObjectIdentifier(transfer)]?.resume(.sending, at: self.now)
        case .stop:
            return false
        }
        return true
    }

    private func start(_ transfer: CurlTransfer) {
        guard !transfer.hasEnded else { return }
        let message = transfer.message
        func fail(_ code: TransportError.Code) { transfer.end(.failure(TransportError(code, host: message.host))) }
        guard let roots = self.roots ?? self.settings.rootsPath() else { return fail(.tls) }
        self.roots = roots
        guard let handle = (message.isPlain ? self.spareHandles.popLast() : nil) ?? CurlHandle() else {
            return fail(.cannotConnect)
        }
        guard handle.prepare(for: message, self, roots: roots) else { return fail(.tls) }
        let active = ActiveTransfer(handle, transfer, engine: self)
        handle.active = active
        guard curl_multi_add_handle(self.multi, handle.easy) == CURLM_OK else {
            handle.active = nil
            return fail(.cannotConnect)
        }
        self.active[ObjectIdentifier(transfer)] = active
        self.idleCheck = min(self.idleCheck, self.now + self.settings.idleMilliseconds)
    }

    private func takeEnded() {
        var easy: UnsafeMutableRawPointer?
        var result = CURLE_OK
        while tessera_curl_next_ended(self.multi, &easy, &result) {
            guard let easy, let active = CurlHandle.of(tessera_curl_get_private(easy))?.active else { continue }
            if active.canStartAgain(after: result) {
                curl_multi_remove_handle(self.multi, easy)
                if curl_multi_add_handle(self.multi, easy) == CURLM_OK { continue }
            }
            active.result = active.outcome(of: result)
            self.touch(active)
        }
    }

    /// Ends transfers that have timed out because of inactivity.
    private func endIdleTransfers() {
        guard self.idleCheck <= self.now else { return }
        self.idleCheck = .max
        for active in self.active.values where active.result == nil {
            let deadline = active.idleDeadline(after: self.settings.idleMilliseconds, now: self.now)
            if deadline <= self.now {
                active.result = .failure(TransportError(.timedOut, host: active.message.host))
                self.touch(active)
            } else {
                self.idleCheck = min(self.idleCheck, deadline)
            }
        }
    }

    /// Passes the data received in this iteration to the transfers.
    private func handOver() {
        swap(&self.touched, &self.delivering)
        // A transfer that has been canceled in the meantime no longer has a handle.
        self.delivering.removeAll { active in
            active.isTouched = false
            return self.active[ObjectIdentifier(active.transfer)] !== active
        }
        for active in self.delivering where active.result != nil {
            self.remove(active, isReusable: active.isSuccess)
        }
        for active in self.delivering {
            if let continuation = active.handOver(now: self.now) { self.continuations.append(continuation) }
        }
        self.delivering.removeAll(keepingCapacity: true)
        // The waiting tasks continue at once, so that their next requests arrive together. By then, this thread has
        // released the transfers that have ended, so that their tasks return the memory that they have allocated.
        for continuation in self.continuations { continuation.resume() }
        self.continuations.removeAll(keepingCapacity: true)
    }

    /// Returns the last response head if it is identical, so that it is not parsed again.
    func shared(_ head: [UInt8]) -> [UInt8] {
        let isSame = head.withUnsafeBytes { new in
            self.lastHead.withUnsafeBytes { last in
                guard last.count == new.count, let lastStart = last.baseAddress, let newStart = new.baseAddress else {
                    return false
                }
                // The operator compares arrays byte by byte, which takes as long as parsing the head.
                return memcmp(lastStart, newStart, new.count) == 0
            }
        }
        if !isSame { self.lastHead = head }
        return self.lastHead
    }

    private func remove(_ active: ActiveTransfer, isReusable: Bool) {
        self.active[ObjectIdentifier(active.transfer)] = nil
        curl_multi_remove_handle(self.multi, active.handle.easy)
        active.handle.active = nil
        if isReusable, active.message.isPlain, self.spareHandles.count < 128 { self.spareHandles.append(active.handle) }
    }

    private func stop() {
        let unstarted = self.queue.stopTaking()
        for case .start(let transfer) in unstarted {
            transfer.end(.failure(TransportError(.connectionLost, host: transfer.message.host)))
        }
        for active in self.active.values {
            self.remove(active, isReusable: false)
            active.transfer.end(.failure(TransportError(.connectionLost, host: active.message.host)))
        }
        // A transfer that has received data since the last iteration retains the engine.
        self.touched = []
        self.spareHandles = []
        curl_multi_cleanup(self.multi)
        self.queue.end()
    }

    private func setTimer(after milliseconds: Int) {
        // Zero is always due, even if the time was measured before this call.
        self.timer = milliseconds < 0 ? nil : milliseconds == 0 ? 0 : Self.milliseconds() + Int64(milliseconds)
    }

    /// Returns the number of milliseconds to wait for events, or -1 to wait without a limit.
    private func untilNextTimer() -> Int32 {
        let next = min(self.timer ?? .max, self.idleCheck)
        if next == .max { return -1 }
        return Int32(clamping: max(0, next - Self.milliseconds()))
    }

    private static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Opens a socket that child processes do not inherit.
    static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let address = address?.pointee else { return CURL_SOCKET_BAD }
        let kind = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let socket = socket(address.family, kind, address.`protocol`)
        guard socket >= 0 else { return CURL_SOCKET_BAD }
        context.map { Unmanaged<CurlEngine>.fromOpaque($0).takeUnretainedValue() }?.sockets.add(socket)
        return socket
    }

    /// Closes a connection's socket.
    ///
    /// The socket's number may be reused for another connection immediately afterwards.
    static let closeSocket: curl_closesocket_callback = { context, socket in
        context.map { Unmanaged<CurlEngine>.fromOpaque($0).takeUnretainedValue() }?.sockets.forget(socket)
        return close(socket)
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import LoopbackHTTP
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// Reads lines that hold secrets: not shown on a terminal, and longer than a terminal's line.
///
/// A terminal is taken out of its line mode, in which a line is cut at 4,095 bytes, and does not echo; it gets its
/// settings back when the reading ends, at exit, and on a signal that would end the process. What is no terminal (a
/// pipe, a file) is read as it is. A redirect is never taken from the command line: every user of the machine could
/// read it there.
public enum TerminalPaste {
    /// Returns the lines of a descriptor until its end, or until the stream is released.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor, by default standard input.
    ///   - endsAtControlD: Whether Ctrl-D at a terminal ends the lines, as it does in line mode.
    /// - Returns: The lines.
    public static func lines(from descriptor: Int32 = 0, endsAtControlD: Bool = false) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(16))
        let reading = Reading(
            descriptor: descriptor,
            endsAtControlD: endsAtControlD,
            continuation: continuation
        )
        continuation.onTermination = { _ in reading.stop() }
        reading.start()
        return stream
    }

    /// One reading, on a thread of its own.
    private final class Reading: Sendable {
        private let descriptor: Int32
        private let endsAtControlD: Bool
        private let continuation: AsyncStream<String>.Continuation
        private let isHidden: Bool
        private let isStopped = Mutex(false)

        init(descriptor: Int32, endsAtControlD: Bool, continuation: AsyncStream<String>.Continuation) {
            // A duplicate: the caller may close its descriptor, whose number then belongs to another file.
            self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            self.endsAtControlD = endsAtControlD
            self.continuation = continuation
            self.isHidden = tessera_terminal_hide(self.descriptor) == 0
        }

        deinit { close(self.descriptor) }

        func start() {
            // In the background, or where another sign-in reads already, the terminal is left alone.
            guard self.isHidden || isatty(self.descriptor) == 0 else { return self.continuation.finish() }
            if DetachedThread.start({ self.run() }) != 0 { self.continuation.finish() }
        }

        func stop() {
            self.isStopped.withLock { isStopped in
                if !isStopped, self.isHidden { tessera_terminal_restore() }
                isStopped = true
            }
        }

        private func run() {
            var line = PastedLine()
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while !self.isStopped.withLock({ $0 }) {
                var polled = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
                if poll(&polled, 1, 100) == 0 { continue }
                let count = read(self.descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                if count < 0 || (count == 0 && !(self.isHidden && polled.revents & Int16(POLLHUP) == 0)) { break }
                let bytes = buffer[..<max(0, count)]
                let end = self.endsAtControlD && self.isHidden ? bytes.firstIndex(of: 0x04) : nil
                for byte in bytes[..<(end ?? bytes.endIndex)] {
                    if let text = line.take(byte) { self.continuation.yield(text) }
                }
                if end != nil { break }
            }
            if let text = line.take(0x0A), !text.isEmpty { self.continuation.yield(text) }
            self.continuation.finish()
            self.stop()
        }
    }
}

/// Builds a line from typed bytes, with the little editing that a terminal out of line mode no longer does itself.
struct PastedLine {
    /// Longer lines are given up: no redirect is that long.
    static let limit = 1 << 16

    private var bytes: [UInt8] = []
    private var isTooLong = false

    /// The line, when the byte ends it; a line that was too long is empty.
    mutating func take(_ byte: UInt8) -> String? {
        switch byte {
        case 0x0A, 0x0D:
            defer { self = PastedLine() }
            return self.isTooLong ? "" : String(decoding: self.bytes, as: UTF8.self)
        case 0x08, 0x7F:
            // The rest of a character of several bytes, then its first.
            while let last = self.bytes.popLast(), last & 0xC0 == 0x80 {}
        case 0x15:
            self.bytes = []
        case 0x00...0x1F:
            break
        default:
            if self.bytes.count < Self.limit { self.bytes.append(byte) } else { self.isTooLong = true }
        }
        return nil
    }
}

/// A way by which the person hands the redirect over by hand while the listener waits.
public struct PastedRedirects: Sendable {
    /// Starts to read and gives the lines; reading ends when the stream is let go of.
    public var lines: @Sendable () -> AsyncStream<String>
    /// Tells the person why a line was not taken.
    ///
    /// Nothing of the line is in the message.
    public var refuse: @Sendable (_ message: String) -> Void

    /// Redirects from any source of lines.
    public init(
        lines: @escaping @Sendable () -> AsyncStream<String>,
        refuse: @escaping @Sendable (_ message: String) -> Void
    ) {
        self.lines = lines
        self.refuse = refuse
    }

    /// Redirects typed or pasted into this process's terminal, without echo; see ``TerminalPaste``.
    public static func standardInput(
        refuse: @escaping @Sendable (_ message: String) -> Void
    ) -> PastedRedirects {
        PastedRedirects(lines: { TerminalPaste.lines() }, refuse: refuse)
    }
}

extension PastedRedirects {
    /// Queues what the user pastes, until nothing more can be read or the task is cancelled.
    func read(for redirectURI: String, into queue: RedirectQueue) async {
        for await line in self.lines() {
            let text = String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            if text.isEmpty { continue }
            guard let redirect = Self.address(text, redirectURI) else {
                // A code alone does not tell which sign-in it belongs to.
                self.refuse("Paste the whole address from the browser's address bar, beginning with \(redirectURI)")
                continue
            }
            let received = Redirect(.redirect(redirect)) { reply in
                guard case .unrelated(let reason) = reply else { return }
                self.refuse("This is not the answer to this sign-in: \(reason)")
            }
            queue.post(.redirect(received))
        }
    }

    /// The address that a text is; nil if it is not one.
    private static func address(_ text: String, _ redirectURI: String) -> String? {
        if text.contains("://") || text.hasPrefix(redirectURI) { return text }
        // Browsers do not show the scheme, and some do not copy it.
        let withScheme = "http://\(text)"
        return withScheme.hasPrefix(redirectURI) ? withScheme : nil
    }
}

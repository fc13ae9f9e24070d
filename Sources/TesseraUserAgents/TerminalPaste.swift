// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import LoopbackHTTP
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// Reads lines that contain secrets, such as pasted redirects.
///
/// While a terminal is being read, echo and line mode are turned off, because line mode truncates lines to 4,095 bytes.
/// The terminal's settings are restored when reading ends, when the process exits, and on signals that would end the
/// process. Pipes and files are read as they are. Redirects are never read from the command line, because any user of
/// the machine can read command lines.
public enum TerminalPaste {
    /// Returns the lines read from a file descriptor until the end of input or until the stream is released.
    ///
    /// - Parameters:
    ///   - descriptor: The file descriptor, which defaults to standard input.
    ///   - endsAtControlD: Whether Ctrl-D in a terminal ends the lines, as it does in line mode.
    /// - Returns: The lines without their terminators.
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

    /// Reads a descriptor on a dedicated thread.
    private final class Reading: Sendable {
        private let descriptor: Int32
        private let endsAtControlD: Bool
        private let continuation: AsyncStream<String>.Continuation
        private let isHidden: Bool
        private let isStopped = Mutex(false)

        init(descriptor: Int32, endsAtControlD: Bool, continuation: AsyncStream<String>.Continuation) {
            // Duplicate the descriptor, because its number may be reused after the caller closes it.
            self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            self.endsAtControlD = endsAtControlD
            self.continuation = continuation
            self.isHidden = tessera_terminal_hide(self.descriptor) == 0
        }

        deinit { close(self.descriptor) }

        func start() {
            // Do not read from the terminal in the background, or while another sign-in is reading it.
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
                // A shell restores the settings when it stops the program, and does not change them back.
                if self.isHidden { tessera_terminal_hide_again() }
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

/// Assembles a line from typed bytes, with the basic editing that a terminal offers in line mode.
struct PastedLine {
    /// The maximum length of a line in bytes, which is longer than any redirect.
    static let limit = 1 << 16

    private var bytes: [UInt8] = []
    private var isTooLong = false

    /// Adds a byte.
    ///
    /// If the byte ends the line, returns the line, or an empty string if the line was too long.
    mutating func take(_ byte: UInt8) -> String? {
        switch byte {
        case 0x0A, 0x0D:
            defer { self = PastedLine() }
            return self.isTooLong ? "" : String(decoding: self.bytes, as: UTF8.self)
        case 0x08, 0x7F:
            // Remove the continuation bytes of a UTF-8 character and then its first byte.
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

/// A source of redirects that the user enters while the listener is waiting.
public struct PastedRedirects: Sendable {
    /// Starts reading and returns the lines.
    ///
    /// Reading ends when the stream is released.
    public var lines: @Sendable () -> AsyncStream<String>
    /// Tells the user why a line was rejected.
    ///
    /// The message does not contain any part of the line.
    public var refuse: @Sendable (_ message: String) -> Void

    /// Creates a source from lines.
    public init(
        lines: @escaping @Sendable () -> AsyncStream<String>,
        refuse: @escaping @Sendable (_ message: String) -> Void
    ) {
        self.lines = lines
        self.refuse = refuse
    }

    /// Returns a source that uses ``TerminalPaste`` to read this process's terminal without echo.
    public static func standardInput(
        refuse: @escaping @Sendable (_ message: String) -> Void
    ) -> PastedRedirects {
        PastedRedirects(lines: { TerminalPaste.lines() }, refuse: refuse)
    }
}

extension PastedRedirects {
    /// Queues the redirects that the user pastes, until the lines end or the task is canceled.
    func read(for redirectURI: String, into queue: RedirectQueue) async {
        for await line in self.lines() {
            let text = String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            if text.isEmpty { continue }
            guard let redirect = Self.address(text, redirectURI) else {
                // A code alone does not indicate which sign-in it belongs to.
                self.refuse("Paste the whole address from the browser's address bar. It begins with \(redirectURI)")
                continue
            }
            let received = Redirect(.redirect(redirect)) { reply in
                guard case .unrelated(let reason) = reply else { return }
                self.refuse("This redirect does not belong to this sign-in: \(reason)")
            }
            queue.post(.redirect(received))
        }
    }

    /// Returns the pasted text as a URL, or nil if it cannot be one.
    private static func address(_ text: String, _ redirectURI: String) -> String? {
        if text.contains("://") || text.hasPrefix(redirectURI) { return text }
        // Browsers do not display the scheme, and some do not include it when copying.
        let withScheme = "http://\(text)"
        return withScheme.hasPrefix(redirectURI) ? withScheme : nil
    }
}

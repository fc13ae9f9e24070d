// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
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
            self.descriptor = descriptor
            self.endsAtControlD = endsAtControlD
            self.continuation = continuation
            self.isHidden = tessera_terminal_hide(descriptor) == 0
        }

        func start() {
            // In the background, or where another sign-in reads already, the terminal is left alone.
            guard self.isHidden || isatty(self.descriptor) == 0 else { return self.continuation.finish() }
            let reading = Unmanaged.passRetained(self)
            let failure = tessera_start_thread(
                { context in
                    guard let context else { return }
                    Unmanaged<Reading>.fromOpaque(context).takeRetainedValue().run()
                },
                reading.toOpaque()
            )
            if failure != 0 {
                reading.release()
                self.continuation.finish()
            }
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

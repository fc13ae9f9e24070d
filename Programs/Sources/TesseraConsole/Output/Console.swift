// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraJSON

/// Standard output, which scripts read, and standard error, which users read.
///
/// Nothing is buffered.
package enum Console {
    /// Whether standard error is a terminal.
    package static var isTerminal: Bool { isatty(2) == 1 }

    /// Whether standard output is a terminal.
    package static var isOutputTerminal: Bool { isatty(1) == 1 }

    /// Whether standard output is a file that its group or other users can read, as with `> file` and most umasks.
    package static var isOutputFileReadableByOthers: Bool {
        var information = stat()
        guard fstat(1, &information) == 0 else { return false }
        return FileBytes.isReadableByOthers(information)
    }

    /// Whether standard input and standard error are terminals, so that the user can be prompted.
    package static var canAsk: Bool { isatty(0) == 1 && isatty(2) == 1 }

    /// Whether to use colors on standard error.
    package static var hasColour: Bool {
        Self.isTerminal && Environment.value("NO_COLOR") == nil && Environment.value("TERM") ?? "dumb" != "dumb"
    }

    /// The number of columns of the terminal on standard error, or 0 without a terminal.
    package static var columns: Int {
        guard Self.isTerminal else { return 0 }
        var size = winsize()
        guard ioctl(2, numericCast(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The error number of the first failed write to standard output, or 0.
    private static let outputFailure = Mutex<Int32>(0)

    /// The error of the first failed write to standard output, or nil.
    static var outputError: (any Error)? {
        switch Self.outputFailure.withLock({ $0 }) {
        case 0: nil
        case EPIPE: PipeClosed()
        case let number: OutputFile.failure(nil, number)
        }
    }

    private static func output(_ bytes: [UInt8]) {
        let number = Self.write(bytes, to: 1)
        Self.outputFailure.withLock { if $0 == 0 { $0 = number } }
    }

    /// Prints one or more lines to standard output.
    ///
    /// If this fails, the program exits with an error after the command has ended.
    package static func print(_ text: TerminalText) { Self.output(Self.line(text)) }

    /// Prints an object to standard output.
    package static func print(json node: JSONNode) { Self.output(Self.line(json: node)) }

    /// Prints data to standard output unchanged, or through a ``TerminalFilter`` to a terminal.
    package static func print(data bytes: [UInt8]) {
        var filter = TerminalFilter()
        Self.output(Self.isOutputTerminal ? filter.filtered(bytes) : bytes)
    }

    /// Returns text in the form in which standard output prints it.
    package static func line(_ text: TerminalText) -> [UInt8] { Array(text.description.utf8) + [0x0A] }

    /// Returns an object in the form in which standard output prints it: on one line, unless it is a terminal.
    package static func line(json node: JSONNode) -> [UInt8] {
        node.printable(pretty: Self.isOutputTerminal) + [0x0A]
    }

    /// Prints one or more lines to standard error.
    package static func note(_ text: TerminalText) { Self.write(Self.line(text), to: 2) }

    /// Prints an object to standard error on one line.
    package static func note(json node: JSONNode) { Self.write(node.printable(pretty: false) + [0x0A], to: 2) }

    /// Prints text to standard error without a trailing line break.
    package static func noteRaw(_ text: TerminalText) { Self.write(Array(text.description.utf8), to: 2) }

    /// Writes all bytes, and blocks while a pipe is full, even if another program has made it non-blocking.
    ///
    /// - Returns: 0, or the error number.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = writeOnce(UnsafeRawBufferPointer(rebasing: rest), to: descriptor)
                if count < 0 {
                    if errno == EINTR { continue }
                    guard errno == EAGAIN else { return errno }
                    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&polled, 1, -1)
                    continue
                }
                rest = rest.dropFirst(count)
            }
            return 0
        }
    }
}

/// Calls `write(2)`, which types with a method of the same name cannot do.
private func writeOnce(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

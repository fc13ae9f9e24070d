// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraUserAgents
internal import Testing
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Serialized because only one terminal per process can be out of line mode.
@Suite("Pasting into a terminal", .serialized)
struct TerminalPasteTests {
    /// A pseudo-terminal whose controller the test writes to.
    private final class Terminal: Sendable {
        let controller: Int32
        let end: Int32

        init() throws {
            var (controller, end): (Int32, Int32) = (-1, -1)
            try #require(tessera_terminal_pair(&controller, &end) == 0)
            (self.controller, self.end) = (controller, end)
        }

        deinit {
            close(self.controller)
            close(self.end)
        }

        var isInLineMode: Bool {
            var settings = termios()
            tcgetattr(self.end, &settings)
            return settings.c_lflag & tcflag_t(ICANON) != 0 && settings.c_lflag & tcflag_t(ECHO) != 0
        }

        func type(_ text: String) {
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(self.controller, $0.baseAddress, min($0.count, 512)) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }

        /// Returns the output that the terminal would show now.
        func shown() -> String {
            var polled = pollfd(fd: self.controller, events: Int16(POLLIN), revents: 0)
            var buffer = [UInt8](repeating: 0, count: 65_536)
            guard poll(&polled, 1, 0) > 0 else { return "" }
            let count = read(self.controller, &buffer, buffer.count)
            return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }
    }

    @Test("Reads a line longer than a terminal's 4,095 bytes and echoes nothing")
    func longLine() async throws {
        let terminal = try Terminal()
        #expect(terminal.isInLineMode)
        var lines = TerminalPaste.lines(from: terminal.end).makeAsyncIterator()
        #expect(!terminal.isInLineMode)
        let long = "http://127.0.0.1/?code=" + String(repeating: "x", count: 10_000)
        terminal.type(long)
        terminal.type("\rsecond\u{7F}\u{7F}d\nx\u{15}third\n")
        #expect(await lines.next() == long)
        #expect(await lines.next() == "secod")
        #expect(await lines.next() == "third")
        #expect(terminal.shown() == "")
    }

    @Test("Restores the terminal's settings when iteration ends")
    func iterationEnd() async throws {
        let terminal = try Terminal()
        let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            let lines = TerminalPaste.lines(from: terminal.end)
            readiness.yield()
            for await _ in lines { return }
        }
        // Input typed before the terminal's settings change is discarded.
        _ = await ready.next()
        terminal.type("x\n")
        await task.value
        #expect(terminal.isInLineMode)
    }

    @Test("Restores the terminal's settings when the waiting task is canceled")
    func cancelled() async throws {
        let terminal = try Terminal()
        let (steps, step) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            let lines = TerminalPaste.lines(from: terminal.end)
            step.yield()
            for await _ in lines { step.yield() }
        }
        _ = await steps.next()
        terminal.type("x\n")
        _ = await steps.next()
        #expect(!terminal.isInLineMode)
        task.cancel()
        await task.value
        #expect(terminal.isInLineMode)
    }

    @Test("A second reader leaves its terminal unchanged")
    func busy() async throws {
        let (first, second) = (try Terminal(), try Terminal())
        let lines = TerminalPaste.lines(from: first.end)
        for await _ in TerminalPaste.lines(from: second.end) { Issue.record("read") }
        #expect(second.isInLineMode)
        #expect(!first.isInLineMode)
        withExtendedLifetime(lines) {}
    }

    @Test("Discards a line longer than any redirect and reads the next one")
    func tooLong() async throws {
        let terminal = try Terminal()
        var lines = TerminalPaste.lines(from: terminal.end).makeAsyncIterator()
        let typing = Task.detached {
            for _ in 0..<70 { terminal.type(String(repeating: "x", count: 1_000)) }
            terminal.type("\nnext\n")
        }
        #expect(await lines.next() == "")
        #expect(await lines.next() == "next")
        await typing.value
    }

    @Test("Continues to read after the caller closes its descriptor")
    func closedDescriptor() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(tessera_pipe(&ends) == 0)
        // Without a second read end, writing to the pipe would end the process.
        let spare = dup(ends[0])
        defer { close(spare) }
        var lines = TerminalPaste.lines(from: ends[0]).makeAsyncIterator()
        close(ends[0])
        let text = Array("pasted\n".utf8)
        #expect(write(ends[1], text, text.count) == text.count)
        #expect(await lines.next() == "pasted")
        close(ends[1])
        #expect(await lines.next() == nil)
    }

    @Test("Reads a pipe to its end, including a last line without a line break")
    func pipe() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(tessera_pipe(&ends) == 0)
        let text = Array("one\ntwo\nthree".utf8)
        #expect(write(ends[1], text, text.count) == text.count)
        close(ends[1])
        var lines: [String] = []
        for await line in TerminalPaste.lines(from: ends[0]) { lines.append(line) }
        close(ends[0])
        #expect(lines == ["one", "two", "three"])
    }
}

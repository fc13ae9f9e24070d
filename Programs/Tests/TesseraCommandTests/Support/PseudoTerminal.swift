// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import Synchronization

/// A pseudoterminal that a test controls.
final class PseudoTerminal: Sendable {
    /// The path at which programs open the terminal.
    private let path: String
    private let controller: Int32
    /// A descriptor that keeps the terminal alive while no program has it open.
    private let holder: Int32
    private let reader: AsyncStream<[UInt8]>
    private let seen = Mutex<[UInt8]>([])

    init(columns: UInt16) throws {
        self.controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard self.controller >= 0, let path = Self.path(of: self.controller) else {
            throw SceneFailure("no terminal: \(errno)")
        }
        self.path = path
        self.holder = open(self.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        let (stream, chunks) = AsyncStream<[UInt8]>.makeStream()
        self.reader = stream
        let controller = self.controller
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            while true {
                let count = read(controller, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                chunks.yield(Array(buffer[..<count]))
            }
            close(controller)
            chunks.finish()
        }
        self.resize(columns: columns)
    }

    /// Unlocks a terminal and returns its path.
    private static func path(of controller: Int32) -> String? {
        #if canImport(Darwin)
        guard grantpt(controller) == 0, unlockpt(controller) == 0 else { return nil }
        return ptsname(controller).map { String(cString: $0) }
        #else
        // TIOCSPTLCK and TIOCGPTN. Swift does not import unlockpt and ptsname from glibc.
        var (lock, number) = (Int32(0), UInt32(0))
        guard ioctl(controller, 0x4004_5431, &lock) == 0, ioctl(controller, 0x8004_5430, &number) == 0 else {
            return nil
        }
        return "/dev/pts/\(number)"
        #endif
    }

    /// Sets the width of the terminal.
    func resize(columns: UInt16) {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(self.controller, numericCast(TIOCSWINSZ), &size)
    }

    /// Sends bytes as keyboard input.
    func type(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { write(self.controller, $0.baseAddress, $0.count) } }

    /// Starts `tessera` with this terminal as standard error and, optionally, as standard input and output.
    func start(
        _ scene: Scene,
        _ words: [String],
        input: Bool = false,
        output: Bool = false,
        environment: [String: String] = [:]
    ) throws -> ChildProgram {
        let redirection =
            (input ? "<\"$TERMINAL\" " : "") + (output ? ">\"$TERMINAL\" 2>&1" : "2>\"$TERMINAL\"")
        return try scene.start(
            ["-c", "exec \"$0\" \"$@\" \(redirection)", Scene.products + "/tessera"] + words,
            program: "/bin/sh",
            environment: ["TERMINAL": self.path, "TERM": "xterm"].merging(environment) { $1 }
        )
    }

    /// Waits until the output satisfies a condition, and returns and clears it.
    func text(until isEnough: (String) -> Bool) async -> String {
        while true {
            let text = self.seen.withLock { String(decoding: $0, as: UTF8.self) }
            if isEnough(text) {
                self.seen.withLock { $0 = [] }
                return text
            }
            var chunks = self.reader.makeAsyncIterator()
            guard let chunk = await chunks.next() else { return text }
            self.seen.withLock { $0 += chunk }
        }
    }

    /// Returns the remaining output after all programs have closed the terminal.
    func text() async -> String {
        close(self.holder)
        return await self.text { _ in false }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A child process that answers line by line.
final class LineProcess: Sendable {
    private let process: Process
    private let input: FileHandle
    private let lines: AsyncStream<String>

    init(_ executable: URL, _ arguments: [String]) throws {
        let (input, output) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        self.process = process
        self.input = input.fileHandleForWriting
        let (lines, end) = AsyncStream<String>.makeStream()
        self.lines = lines
        let reading = output.fileHandleForReading
        Thread.detachNewThread {
            var rest = ""
            while case let data = reading.availableData, !data.isEmpty {
                rest += String(decoding: data, as: UTF8.self)
                while let newline = rest.firstIndex(of: "\n") {
                    end.yield(String(rest[..<newline]))
                    rest = String(rest[rest.index(after: newline)...])
                }
            }
            end.finish()
        }
    }

    func send(_ line: String) throws { try self.input.write(contentsOf: Data((line + "\n").utf8)) }

    /// The next line, nil when it has ended.
    func next() async -> String? { await self.lines.first { _ in true } }

    /// Ends it as a loss of power would.
    func kill() {
        Foundation.kill(self.process.processIdentifier, SIGKILL)
        self.process.waitUntilExit()
    }

    func end() {
        try? self.input.close()
        self.process.waitUntilExit()
    }
}

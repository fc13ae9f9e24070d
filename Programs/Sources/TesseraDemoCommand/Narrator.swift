// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraJSON
internal import TesseraConsole

/// Prints the demo's steps, each with a check mark and the time it took, followed by indented details.
struct Narrator: Sendable {
    private let hasColour: Bool
    private let clock = ContinuousClock()
    private static let width = 78

    /// Creates a narrator that uses colors on a terminal, unless `NO_COLOR` is set or the terminal does not support
    /// them.
    init() {
        self.hasColour =
            Console.isOutputTerminal && Environment.value("NO_COLOR") == nil && Environment.value("TERM") != "dumb"
    }

    /// Runs a step, and prints its description and how long it took.
    @discardableResult
    func step<Result>(_ body: () async throws -> (words: String, result: Result)) async throws -> Result {
        let start = self.clock.now
        let (line, result) = try await body()
        let time = Self.text(start.duration(to: self.clock.now))
        let gap = String(repeating: " ", count: max(2, Self.width - line.count - time.count))
        self.printLine("  \(self.styled("✓", 32)) \(line)\(gap)\(self.styled(time, 2))")
        return result
    }

    /// Prints a heading.
    func title(_ text: String) { self.printLine("\n\(self.styled(text, 1))") }

    /// Prints a remark between steps.
    func note(_ text: String) { self.printLine("  " + self.styled(text, 2)) }

    /// Prints details about the previous step.
    func detail(_ lines: [String]) { for line in lines { self.printLine("      \(line)") } }

    /// Prints something that is missing after the previous step.
    func missing(_ text: String) { self.printLine("      \(self.styled("✗", 33)) \(text)") }

    /// Prints the error that ended the demo.
    func failed(_ error: any Error) {
        let advice = (error as? any ErrorGuidance)?.recoverySuggestion.map { ". " + $0 } ?? ""
        self.printLine("  \(self.styled("✗", 31)) \(error)\(advice)")
    }

    /// Prints a table.
    func table(_ table: ColumnTable) {
        for (index, line) in table.text.description.split(separator: "\n").enumerated() {
            self.printLine("      " + (index == 0 ? self.styled(String(line), 2) : String(line)))
        }
    }

    static func text(_ duration: Duration) -> String {
        let milliseconds = Double(duration.components.seconds) * 1_000 + Double(duration.components.attoseconds) / 1e15
        if milliseconds < 10 { return "\((milliseconds * 10).rounded() / 10) ms" }
        if milliseconds < 1_000 { return "\(Int(milliseconds.rounded())) ms" }
        return "\((milliseconds / 100).rounded() / 10) s"
    }

    private func styled(_ text: String, _ code: Int) -> String {
        self.hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    private func printLine(_ line: String) {
        Console.write(Array((line + "\n").utf8), to: 1)
    }
}

/// The files that Drive's `files.list` returns, as a table.
struct DriveFiles: Sendable {
    static let scope: Scope = "https://www.googleapis.com/auth/drive.readonly"

    let count: Int
    let table: ColumnTable

    /// Requests the list of files.
    ///
    /// - Throws: ``BearerChallengeError`` if the scope is missing.
    static func list(_ session: OAuthSession, at baseURL: String) async throws -> DriveFiles {
        let url = "\(baseURL)/drive/v3/files?pageSize=20&fields=files(name,mimeType,size,modifiedTime)"
        let bytes = try await session.fetcher.data(for: try HTTPRequest(url: url))
        let files = try JSONValue(parsing: bytes)["files"]?.elements.map(Array.init) ?? []
        var table = ColumnTable("NAME", "SIZE", "MODIFIED", "TYPE")
        for file in files {
            let changed = file["modifiedTime"]?.string.map { String($0.prefix(10)) }
            let cells = [file["name"]?.string, file["size"]?.string, changed, file["mimeType"]?.string]
            table.add(row: cells.map { $0 ?? "–" })
        }
        return DriveFiles(count: files.count, table: table)
    }
}

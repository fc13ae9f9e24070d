// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraJSON
internal import TesseraConsole

/// Tells the story: a line with a check mark and its time for each step, details indented below.
struct Narrator: Sendable {
    private let hasColour: Bool
    private let clock = ContinuousClock()
    private static let width = 78

    /// Colour on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
    init() {
        self.hasColour =
            Console.isOutputTerminal && Environment.value("NO_COLOR") == nil && Environment.value("TERM") != "dumb"
    }

    /// Does a step, and says with its words how long it took.
    @discardableResult
    func step<Result>(_ body: () async throws -> (words: String, result: Result)) async throws -> Result {
        let begun = self.clock.now
        let (line, result) = try await body()
        let time = Self.text(begun.duration(to: self.clock.now))
        let gap = String(repeating: " ", count: max(2, Self.width - line.count - time.count))
        self.say("  \(self.painted("✓", 32)) \(line)\(gap)\(self.painted(time, 2))")
        return result
    }

    /// A heading.
    func title(_ text: String) { self.say("\n\(self.painted(text, 1))") }

    /// A remark between steps.
    func note(_ text: String) { self.say("  " + self.painted(text, 2)) }

    /// Lines that belong to the step above.
    func detail(_ lines: [String]) { for line in lines { self.say("      \(line)") } }

    /// Something that the step above lacks.
    func missing(_ text: String) { self.say("      \(self.painted("✗", 33)) \(text)") }

    /// Prints the error that ended the demo.
    func failed(_ error: any Error) {
        let advice = (error as? any ErrorGuidance)?.recoverySuggestion.map { ". " + $0 } ?? ""
        self.say("  \(self.painted("✗", 31)) \(error)\(advice)")
    }

    /// Rows under headings.
    func table(_ table: ColumnTable) {
        for (index, line) in table.text.description.split(separator: "\n").enumerated() {
            self.say("      " + (index == 0 ? self.painted(String(line), 2) : String(line)))
        }
    }

    static func text(_ duration: Duration) -> String {
        let milliseconds = Double(duration.components.seconds) * 1_000 + Double(duration.components.attoseconds) / 1e15
        if milliseconds < 10 { return "\((milliseconds * 10).rounded() / 10) ms" }
        if milliseconds < 1_000 { return "\(Int(milliseconds.rounded())) ms" }
        return "\((milliseconds / 100).rounded() / 10) s"
    }

    private func painted(_ text: String, _ code: Int) -> String {
        self.hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    private func say(_ line: String) {
        Console.write(Array((line + "\n").utf8), to: 1)
    }
}

/// A call of Drive's files.list, and its answer as a table.
struct DriveFiles: Sendable {
    static let scope: Scope = "https://www.googleapis.com/auth/drive.readonly"

    let count: Int
    let table: ColumnTable

    /// Asks for the files' list.
    ///
    /// - Throws: ``BearerChallengeError`` where the scope is missing.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The rows of a list, as a table for users or as CSV or TSV for scripts.
///
/// In a table, text from a server is escaped and truncated. CSV and TSV contain the complete values, in which only the
/// format's own characters are escaped. ``Console/print(data:)`` escapes them for a terminal.
package struct ListRows: Sendable {
    /// A value, with the text that a table shows instead of it.
    package struct Cell: Sendable, ExpressibleByStringLiteral {
        package let value: String
        package let shown: String

        /// Creates a cell.
        ///
        /// - Parameters:
        ///   - value: The value for scripts, or nil if it is missing.
        ///   - shown: The text for a table, or nil for the value itself.
        package init(_ value: String?, shown: String? = nil) {
            self.value = value ?? ""
            self.shown = shown ?? self.value
        }

        package init(stringLiteral value: String) { self.init(value) }
    }

    /// The names of the columns, as in JSON, and their headings in a table.
    ///
    /// A column without a heading is left out of the table.
    private let columns: [(name: String, heading: String?)]
    private var rows: [[Cell]] = []

    /// Creates an empty list with these names and headings of its columns.
    package init(_ columns: KeyValuePairs<String, String?>) {
        self.columns = columns.map { (name: $0.key, heading: $0.value) }
    }

    /// Creates an empty list with columns whose names are also their headings.
    package init(names: [String]) { self.columns = names.map { (name: $0, heading: $0) } }

    package mutating func add(_ cells: Cell...) { self.rows.append(cells) }

    package mutating func add(row cells: [Cell]) { self.rows.append(cells) }

    /// The list as a table.
    package var text: TerminalText {
        let shown = self.columns.indices.filter { self.columns[$0].heading != nil }
        var table = ColumnTable(headings: shown.compactMap { self.columns[$0].heading })
        for row in self.rows { table.add(row: shown.filter(row.indices.contains).map { row[$0].shown }) }
        return table.text
    }

    /// The list as comma-separated values with a header line.
    ///
    /// - SeeAlso: [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180.html)
    package var csv: [UInt8] {
        self.lines(separator: ",", end: "\r\n") { value in
            guard value.unicodeScalars.contains(where: { [",", "\"", "\r", "\n"].contains($0) }) else { return value }
            // A quote can be part of a character with a combining mark.
            let quoted = value.unicodeScalars.flatMap { $0 == "\"" ? ["\"", "\""] : [$0] as [Unicode.Scalar] }
            return "\"" + String(String.UnicodeScalarView(quoted)) + "\""
        }
    }

    /// The list as tab-separated values with a header line.
    ///
    /// Tabs, line breaks and backslashes in values are written as `\t`, `\n`, `\r` and `\\`.
    package var tsv: [UInt8] {
        self.lines(separator: "\t", end: "\n") { value in
            var text = ""
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\\": text += "\\\\"
                case "\t": text += "\\t"
                case "\n": text += "\\n"
                case "\r": text += "\\r"
                default: text.unicodeScalars.append(scalar)
                }
            }
            return text
        }
    }

    private func lines(separator: String, end: String, _ escape: (String) -> String) -> [UInt8] {
        let all = [self.columns.map(\.name)] + self.rows.map { $0.map(\.value) }
        return Array(all.map { $0.map(escape).joined(separator: separator) + end }.joined().utf8)
    }
}

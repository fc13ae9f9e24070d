// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// A table with headings, in which each column is as wide as its widest cell.
///
/// Cells can contain text from a server, so they are escaped and truncated.
package struct ColumnTable: Sendable {
    private static let limit = 4_096
    private var rows: [[String]]

    package init(_ headings: String...) { self.rows = [headings] }

    package init(headings: [String]) { self.rows = [headings] }

    package mutating func add(_ cells: String...) { self.rows.append(cells) }

    package mutating func add(row cells: [String]) { self.rows.append(cells) }

    package var text: TerminalText {
        let rows = self.rows.map { $0.map { UntrustedText.printable($0, limit: Self.limit) } }
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns)
            .map { column in rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0 }
        return
            rows.map { row -> TerminalText in
                let cells = row.enumerated()
                    .map { column, cell in column == row.count - 1 ? cell : cell.padded(to: widths[column]) }
                return "\(cells.joined(separator: "  "))"
            }
            .joined(separator: "\n")
    }
}

/// A table with names and their values, which can have several lines.
///
/// Fields without a value are omitted. Names and values can contain text from a server, so they are escaped and
/// truncated.
package struct FieldTable {
    private static let limit = 4_096
    private var rows: [(name: String, values: [String])] = []

    package init() {}

    package mutating func add(_ name: String, _ value: String?) {
        if let value { self.add(name, [value]) }
    }

    package mutating func add(_ name: String, _ values: [String]) {
        if !values.isEmpty { self.rows.append((name, values)) }
    }

    package var isEmpty: Bool { self.rows.isEmpty }

    package var text: TerminalText {
        let rows = self.rows.map { row in
            (name: UntrustedText.printable(row.name), values: row.values)
        }
        let width = rows.map(\.name.columns).max() ?? 0
        return
            rows.flatMap { row in
                row.values.enumerated()
                    .map { index, value -> TerminalText in
                        let name = (index == 0 ? row.name : "").padded(to: width)
                        return "  \(name)  \(UntrustedText.printable(value, limit: Self.limit))"
                    }
            }
            .joined(separator: "\n")
    }
}

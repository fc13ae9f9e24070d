// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
/// Rows under headings, each column as wide as its widest cell.
package struct ColumnTable {
    private var rows: [[String]]

    package init(_ headings: String...) { self.rows = [headings] }

    package init(headings: [String]) { self.rows = [headings] }

    package mutating func add(_ cells: String...) { self.rows.append(cells) }

    package mutating func add(row cells: [String]) { self.rows.append(cells) }

    package var text: String {
        let columns = self.rows.map(\.count).max() ?? 0
        let widths = (0..<columns)
            .map { column in self.rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return self.rows
            .map { row in
                row.enumerated()
                    .map { column, cell in
                        column == row.count - 1
                            ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
                    }
                    .joined()
            }
            .joined(separator: "\n")
    }
}
#endif

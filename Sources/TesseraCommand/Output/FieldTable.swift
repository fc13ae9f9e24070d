// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
/// Names and values in two columns; a value may have several lines, a field without a value is left out.
package struct FieldTable {
    private var rows: [(name: String, values: [String])] = []

    package init() {}

    package mutating func add(_ name: String, _ value: String?) {
        if let value { self.add(name, [value]) }
    }

    package mutating func add(_ name: String, _ values: [String]) {
        if !values.isEmpty { self.rows.append((name, values)) }
    }

    package var text: String {
        let width = self.rows.map(\.name.count).max() ?? 0
        return self.rows
            .flatMap { row in
                row.values.enumerated()
                    .map { index, value in
                        let name = index == 0 ? row.name : ""
                        return "  " + name + String(repeating: " ", count: width - name.count + 2) + value
                    }
            }
            .joined(separator: "\n")
    }
}
#endif

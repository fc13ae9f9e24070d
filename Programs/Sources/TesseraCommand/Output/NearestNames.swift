// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What somebody may have meant who misspelt a name.
package struct NearestNames {
    /// The nearest first, at most three.
    package let names: [String]

    package init(to text: String, among names: [String]) {
        let wanted = Array(text.lowercased().utf8)
        let limit = max(2, wanted.count / 4)
        let near = names.map { (name: $0, distance: Self.distance(wanted, Array($0.lowercased().utf8))) }
            .filter { $0.distance <= limit }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
        self.names = near.prefix(3).map(\.name)
    }

    /// `Did you mean a or b? `, or nothing.
    package var question: String {
        self.names.isEmpty ? "" : "Did you mean \(self.names.joined(separator: " or "))? "
    }

    /// How many letters have to be added, taken away or changed.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var previous = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let change = previous[column] + (byte == other ? 0 : 1)
                current.append(min(change, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous.last ?? left.count
    }
}

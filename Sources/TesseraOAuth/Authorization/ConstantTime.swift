// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Comparison that takes as long for a near miss as for a far one.
enum ConstantTime {
    static func equal(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

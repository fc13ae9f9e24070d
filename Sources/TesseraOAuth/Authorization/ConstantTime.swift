// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Comparison that takes as long for a near miss as for a far one.
enum ConstantTime {
    static func equal(_ left: String, _ right: String) -> Bool {
        var (left, right) = (left, right)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                left.count == right.count && left.indices.reduce(0) { $0 | (left[$1] ^ right[$1]) } == 0
            }
        }
    }
}

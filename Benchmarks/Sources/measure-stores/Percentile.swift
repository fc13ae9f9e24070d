// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

enum Percentile {
    /// The value that this share of the others is not above.
    static func of(_ values: [Double], _ share: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

enum Percentile {
    /// Returns the percentile of the values, for example the median with a share of 0.5.
    static func of(_ values: [Double], _ share: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }
}

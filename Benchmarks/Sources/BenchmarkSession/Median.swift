// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Returns the median of the values, which is insensitive to a few rounds on a busy machine.
public func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The middle of some numbers; what a busy machine adds to a few rounds does not count.
public func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension Duration {
    /// Whole nanoseconds, clamped to what fits.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min / 4 : .max / 4 }
        return min(max(product, .min / 4), .max / 4) + attoseconds / 1_000_000_000
    }
}

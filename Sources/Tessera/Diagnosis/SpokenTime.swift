// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
/// Times as findings say them.
package enum SpokenTime {
    /// `7 days`, `5 hours`, `12 minutes`, `1 second`: the largest unit of which there are two.
    package static func span(_ seconds: Double) -> String {
        let whole = Int64(max(0, min(seconds, 1e11)).rounded())
        let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
        let (length, name) = units.first { whole >= 2 * $0.0 } ?? (1, "second")
        let count = whole / length
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }

    /// `2026-05-01 12:00 UTC`.
    package static func moment(_ date: Date) -> String {
        let stamp = date.formatted(.iso8601)
        return "\(stamp.prefix(10)) \(stamp.dropFirst(11).prefix(5)) UTC"
    }
}

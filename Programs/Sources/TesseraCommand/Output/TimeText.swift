// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraConsole
internal import TesseraJSON

/// Formats times for users and scripts.
package enum TimeText {
    /// Returns a relative time, such as `in 59 min`, `3 days ago` or `just now`.
    static func relative(_ date: Date, to now: Date) -> String {
        let seconds = date.timeIntervalSince(now)
        let words = Self.span(abs(seconds))
        if abs(seconds) < 1 { return "just now" }
        return seconds > 0 ? "in \(words)" : "\(words) ago"
    }

    /// Returns a rounded duration, such as `15 min`.
    static func span(of seconds: Int64) -> String { Self.span(Double(max(seconds, 0))) }

    /// Returns a remaining time, such as `14 min 5 s left`.
    static func left(_ seconds: Int64) -> String {
        let seconds = max(seconds, 0)
        return seconds < 60 ? "\(seconds) s left" : "\(seconds / 60) min \(seconds % 60) s left"
    }

    /// Returns an ISO 8601 time stamp, such as `2026-05-01T12:00:00Z`.
    static func stamp(_ date: Date) -> String { date.formatted(.iso8601) }

    /// Returns a date and time, such as `2026-05-01 12:00 UTC`.
    package static func moment(_ date: Date) -> String {
        let stamp = Self.stamp(date)
        return "\(stamp.prefix(10)) \(stamp.dropFirst(11).prefix(5)) UTC"
    }

    static func json(_ date: Date?) -> JSONNode { date.map { .string(Self.stamp($0)) } ?? .null }

    private static func span(_ seconds: Double) -> String {
        guard seconds < 1e11 else { return "a very long time" }
        let whole = Int(seconds.rounded())
        switch whole {
        case ..<90: return "\(whole) s"
        case ..<5_400: return "\((whole + 30) / 60) min"
        case ..<172_800: return "\((whole + 1_800) / 3_600) h"
        default: return "\((whole + 43_200) / 86_400) days"
        }
    }
}

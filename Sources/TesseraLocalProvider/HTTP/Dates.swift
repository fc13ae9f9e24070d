// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraSupport

/// A time as Google's APIs write it (RFC 3339).
enum RFC3339 {
    /// A time with milliseconds, in UTC; times outside the years 1 to 9999 become the nearest.
    static func text(_ date: Date) -> String {
        let seconds = max(-62_135_596_800, min(253_402_300_799, date.timeIntervalSince1970))
        return Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Reads a date alone, or a date and a time; without an offset it is UTC, as at Google.
    static func date(_ text: String) -> Date? {
        let time =
            #/
            [Tt\x20]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(\.[0-9]+)?
            (?:[Zz]|([+-][01][0-9]|[+-]2[0-3]):?([0-5][0-9]))?
            /#
        let day = /([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])/
        guard text.utf8.count <= 40, let start = text.prefixMatch(of: day) else { return nil }
        let components = DateComponents(timeZone: .gmt, year: Int(start.1), month: Int(start.2), day: Int(start.3))
        guard let date = Calendar(identifier: .gregorian).date(from: components) else { return nil }
        let rest = text[start.range.upperBound...]
        if rest.isEmpty { return date }
        guard let (_, hour, minute, second, fraction, hours, minutes) = rest.wholeMatch(of: time)?.output else {
            return nil
        }
        let number: (Substring?) -> Double = { $0.flatMap { Double($0) } ?? 0 }
        let offset = number(hours) * 3600 + (hours?.first == "-" ? -60 : 60) * number(minutes)
        return date + number(hour) * 3600 + number(minute) * 60 + number(second)
            + number(fraction.map { "0\($0)" }) - offset
    }
}
#endif

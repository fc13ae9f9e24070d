// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraSupport

/// A time as HTTP writes it (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// Seconds since 1970 as `Sun, 06 Nov 1994 08:49:37 GMT`; times outside the years 1 to 9999 become the nearest.
    static func text(secondsSince1970 seconds: Double) -> String {
        let seconds = max(-62_135_596_800, min(253_402_300_799, seconds)).rounded(.down)
        // Foundation counts by the Julian calendar before 1582. The Gregorian one repeats every 400 years, weekdays too.
        let cycles = seconds < 0 ? 5.0 : 0
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let units: Set<Calendar.Component> = [.year, .month, .day, .hour, .minute, .second, .weekday]
        let parts = calendar.dateComponents(
            units,
            from: Date(timeIntervalSince1970: seconds + cycles * 146_097 * 86_400)
        )
        let number = { (value: Int?, digits: Int) in
            let text = String(value ?? 0)
            return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
        let day = "\(self.weekdays[(parts.weekday ?? 1) - 1]), \(number(parts.day, 2))"
        let year = number((parts.year ?? 0) - Int(cycles) * 400, 4)
        let time = [parts.hour, parts.minute, parts.second].map { number($0, 2) }.joined(separator: ":")
        return "\(day) \(self.months[(parts.month ?? 1) - 1]) \(year) \(time) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

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

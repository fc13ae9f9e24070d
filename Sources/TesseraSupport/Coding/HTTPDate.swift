// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The date format used in HTTP header fields, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// The two obsolete formats, which servers must not send, are not supported.
///
/// - SeeAlso: [RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110.html#section-5.6.7)
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// Returns the seconds since 1970 in UTC, or nil if the text is not a valid date.
    package static func seconds(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT",
            let day = self.number(parts[1], digits: 2), let month = self.months.firstIndex(where: { parts[2] == $0 }),
            let year = self.number(parts[3], digits: 4)
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = self.number(time[0], digits: 2), let minute = self.number(time[1], digits: 2),
            let second = self.number(time[2], digits: 2), 1...31 ~= day, hour < 24, minute < 60, second <= 60
        else { return nil }
        return CalendarDay.daysSince1970(year: year, month: month + 1, day: day) * 86_400
            + Int64(hour * 3_600 + minute * 60 + second)
    }

    /// Returns the text for a time, which is clamped to the years 1 to 9999.
    package static func text(secondsSince1970 seconds: Double) -> String {
        let seconds = Int64(max(-62_135_596_800, min(253_402_300_799, seconds)).rounded(.down))
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let second = Int(seconds - days * 86_400)
        let date = CalendarDay(daysSince1970: days)
        let time = [second / 3_600, second / 60 % 60, second % 60].map { self.padded($0, 2) }.joined(separator: ":")
        let weekday = self.weekdays[Int((days % 7 + 7) % 7)]
        let day = "\(self.padded(date.day, 2)) \(self.months[date.month - 1]) \(self.padded(date.year, 4))"
        return "\(weekday), \(day) \(time) GMT"
    }

    private static func number(_ text: some StringProtocol, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(text)
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

/// A day in the proleptic Gregorian calendar.
package struct CalendarDay: Sendable, Hashable {
    package let year: Int
    /// The month, from 1 to 12.
    package let month: Int
    /// The day of the month, from 1 to 31.
    package let day: Int

    /// Creates a day, or returns nil if it does not exist in the calendar.
    package init?(year: Int, month: Int, day: Int) {
        guard 1...12 ~= month, 1...Self.days(in: month, of: year) ~= day else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The number of days since 1970-01-01.
    package var daysSince1970: Int64 { Self.daysSince1970(year: self.year, month: self.month, day: self.day) }

    /// Returns the number of days since 1970-01-01.
    ///
    /// The day can exceed the length of the month.
    package static func daysSince1970(year: Int, month: Int, day: Int) -> Int64 {
        // Years start in March here, so the leap day is the last day of a year.
        let year = Int64(month <= 2 ? year - 1 : year)
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let monthFromMarch = Int64((month + 9) % 12)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        self.month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        self.year = Int(yearOfEra + era * 400) + (self.month <= 2 ? 1 : 0)
        self.day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A day of the Gregorian calendar, also before 1582.
package struct CalendarDay: Sendable, Hashable {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int

    /// Creates a day, or returns nil if the calendar does not have it.
    package init?(year: Int, month: Int, day: Int) {
        guard 1...12 ~= month, 1...Self.days(in: month, of: year) ~= day else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Days since 1970-01-01.
    package var daysSince1970: Int64 { Self.daysSince1970(year: self.year, month: self.month, day: self.day) }

    /// Days since 1970-01-01, for a day that may exceed the month's length.
    package static func daysSince1970(year: Int, month: Int, day: Int) -> Int64 {
        // Counted from March, so that the leap day is a year's last.
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

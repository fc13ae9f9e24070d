// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A calendar date without a time or time zone, such as `2026-11-23`.
///
/// - SeeAlso: [RFC 3339, section 5.6](https://www.rfc-editor.org/rfc/rfc3339.html#section-5.6)
public struct CivilDate: APIValue, Hashable, Comparable, LosslessStringConvertible {
    /// The year, from 0 to 9999.
    public let year: Int
    /// The month, from 1 to 12.
    public let month: Int
    /// The day of the month, from 1 to 31.
    public let day: Int

    /// Creates a date, or returns nil if there is no such date in the calendar.
    public init?(year: Int, month: Int, day: Int) {
        guard 0...9_999 ~= year, let day = CalendarDay(year: year, month: month, day: day) else { return nil }
        self.init(day)
    }

    /// Creates a date from text such as `2026-11-23`, or returns nil for any other text.
    public init?(_ text: String) { self.init(utf8: Array(text.utf8)[...]) }

    init?(utf8 text: ArraySlice<UInt8>) {
        var digits = DigitReader(text)
        guard let year = digits.number(4), digits.skip("-"), let month = digits.number(2), digits.skip("-"),
            let day = digits.number(2), digits.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The date as text, such as `2026-11-23`.
    public var description: String {
        DigitReader.padded(self.year, 4) + "-" + DigitReader.padded(self.month, 2) + "-"
            + DigitReader.padded(self.day, 2)
    }

    /// Returns whether one date is before another.
    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// The number of days since 1970-01-01.
    public var daysSince1970: Int64 {
        CalendarDay.daysSince1970(year: self.year, month: self.month, day: self.day)
    }

    /// Creates a date from the number of days since 1970-01-01.
    ///
    /// Returns nil if the year is not between 0 and 9999.
    public init?(daysSince1970 days: Int64) {
        guard -719_528...2_932_896 ~= days else { return nil }
        self.init(CalendarDay(daysSince1970: days))
    }

    private init(_ day: CalendarDay) {
        self.year = day.year
        self.month = day.month
        self.day = day.day
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A day of the calendar, without time and zone: `2026-11-23`.
///
/// - SeeAlso: [RFC 3339, section 5.6](https://www.rfc-editor.org/rfc/rfc3339.html#section-5.6)
public struct CivilDate: APIValue, Hashable, Comparable, LosslessStringConvertible {
    /// The year, 0 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day, 1 to 31.
    public let day: Int

    /// A day; nil where the calendar has none such.
    public init?(year: Int, month: Int, day: Int) {
        guard 0...9_999 ~= year, let day = CalendarDay(year: year, month: month, day: day) else { return nil }
        self.init(day)
    }

    /// The day of a text such as `2026-11-23`; nil for anything else.
    public init?(_ text: String) { self.init(utf8: Array(text.utf8)[...]) }

    init?(utf8 text: ArraySlice<UInt8>) {
        var digits = DigitReader(text)
        guard let year = digits.number(4), digits.skip("-"), let month = digits.number(2), digits.skip("-"),
            let day = digits.number(2), digits.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Such as `2026-11-23`.
    public var description: String {
        DigitReader.padded(self.year, 4) + "-" + DigitReader.padded(self.month, 2) + "-"
            + DigitReader.padded(self.day, 2)
    }

    /// Whether one day comes before another.
    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// Days since 1970-01-01.
    public var daysSince1970: Int64 {
        CalendarDay.daysSince1970(year: self.year, month: self.month, day: self.day)
    }

    /// The day that is so many days after 1970-01-01; nil outside the years 0 to 9999.
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

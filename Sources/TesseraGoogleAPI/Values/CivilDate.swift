// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// A day of the calendar, without time and zone: `2026-11-23`.
///
/// - SeeAlso: [RFC 3339, section 5.6](https://www.rfc-editor.org/rfc/rfc3339.html#section-5.6)
public struct CivilDate: APIValue, Hashable, Comparable, CustomStringConvertible {
    /// The year, 0 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day, 1 to 31.
    public let day: Int

    /// A day; nil where the calendar has none such.
    public init?(year: Int, month: Int, day: Int) {
        guard 0...9_999 ~= year, 1...12 ~= month, day >= 1, day <= Self.days(in: month, of: year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day of a text such as `2026-11-23`; nil for anything else.
    public init?(_ text: String) { self.init(utf8: Array(text.utf8)[...]) }

    /// The day of a text; nil for anything else.
    public init?(_ node: JSONNode) {
        guard let text = node.stringValue else { return nil }
        self.init(text)
    }

    init?(utf8 text: ArraySlice<UInt8>) {
        var digits = DigitReader(text)
        guard let year = digits.number(4), digits.skip("-"), let month = digits.number(2), digits.skip("-"),
            let day = digits.number(2), digits.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// A text.
    public var node: JSONNode { .string(self.description) }

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
        // Counted from March, so that the leap day is a year's last.
        let year = Int64(self.month <= 2 ? self.year - 1 : self.year)
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let monthFromMarch = Int64((self.month + 9) % 12)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(self.day) - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The day that is so many days after 1970-01-01; nil outside the years 0 to 9999.
    public init?(daysSince1970 days: Int64) {
        guard -719_528...2_932_896 ~= days else { return nil }
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        self.init(
            year: Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0),
            month: month,
            day: Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        )
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

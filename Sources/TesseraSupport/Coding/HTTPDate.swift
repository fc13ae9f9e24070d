// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The date of a header field: `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// The two obsolete forms, which no server may send, are not read.
///
/// - SeeAlso: [RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110.html#section-5.6.7)
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// Seconds since 1970 in UTC, or nil if the text is not such a date.
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

    /// The text of a time; a time outside the years 1 to 9999 becomes the nearest one.
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

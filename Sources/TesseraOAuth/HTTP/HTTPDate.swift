// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The date of a header field, as every sender has to write it: `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// The two obsolete forms, which no server may send, are not read.
///
/// - SeeAlso: [RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110.html#section-5.6.7)
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970, UTC; nil for what is no such date.
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
        return self.days(year, month + 1, day) * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static func number(_ text: some StringProtocol, digits: Int) -> Int64? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int64(text)
    }

    /// Days since 1970 of the Gregorian calendar; years begin in March, so that the leap day comes last.
    private static func days(_ year: Int64, _ month: Int, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let months = Int64((month + 9) % 12)
        let leapDays = year / 4 - year / 100 + year / 400
        return year * 365 + leapDays + (months * 306 + 5) / 10 + day - 719_469
    }
}

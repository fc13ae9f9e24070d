// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A time as HTTP writes it (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// Seconds since 1970 as `Sun, 06 Nov 1994 08:49:37 GMT`; times outside the years 1 to 9999 become the nearest.
    static func text(secondsSince1970 seconds: Double) -> String {
        let seconds = Int64(max(-62_135_596_800, min(253_402_300_799, seconds)).rounded(.down))
        let second = seconds.mod(86_400)
        let days = (seconds - second) / 86_400
        // The calendar by eras of 400 years that begin in March, after Howard Hinnant's "days to civil".
        let shifted = days + 719_468
        let dayOfEra = shifted.mod(146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let isNextYear = month >= 10
        let year = yearOfEra + (shifted - dayOfEra) / 146_097 * 400 + (isNextYear ? 1 : 0)
        let monthName = self.months[Int(isNextYear ? month - 10 : month + 2)]
        let time = "\(self.two(second / 3600)):\(self.two(second / 60 % 60)):\(self.two(second % 60))"
        let yearText = String(repeating: "0", count: max(0, 4 - String(year).count)) + String(year)
        return "\(self.weekdays[Int((days + 4).mod(7))]), \(self.two(day)) \(monthName) \(yearText) \(time) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
}

extension Int64 {
    /// The remainder that is never negative.
    fileprivate func mod(_ divisor: Int64) -> Int64 { (self % divisor + divisor) % divisor }
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
        let bytes = Array(text.utf8)
        guard let (year, month, day) = self.date(bytes.prefix(10)), bytes.count <= 40 else { return nil }
        // Days since 1970, after Howard Hinnant's "days from civil".
        let shifted = month > 2 ? year : year - 1
        let (era, yearOfEra) = (shifted / 400, shifted % 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        var seconds = Double(era * 146_097 + dayOfEra - 719_468) * 86_400
        var rest = bytes.dropFirst(10)
        guard let separator = rest.popFirst() else { return Date(timeIntervalSince1970: seconds) }
        guard [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(separator),
            let hour = self.number(&rest, 2), hour < 24, rest.popFirst() == UInt8(ascii: ":"),
            let minute = self.number(&rest, 2), minute < 60, rest.popFirst() == UInt8(ascii: ":"),
            let second = self.number(&rest, 2), second < 61
        else { return nil }
        seconds += Double(hour * 3600 + minute * 60 + second)
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (48...57).contains($0) }
            guard let fraction = Double("0." + String(decoding: digits, as: UTF8.self)), !digits.isEmpty else {
                return nil
            }
            seconds += fraction
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let offset = self.offset(rest) else { return nil }
        return Date(timeIntervalSince1970: seconds - Double(offset))
    }

    private static func date(_ bytes: ArraySlice<UInt8>) -> (Int, Int, Int)? {
        var rest = bytes
        guard let year = self.number(&rest, 4), rest.popFirst() == UInt8(ascii: "-"),
            let month = self.number(&rest, 2), (1...12).contains(month), rest.popFirst() == UInt8(ascii: "-"),
            let day = self.number(&rest, 2), (1...31).contains(day)
        else { return nil }
        return (year, month, day)
    }

    /// The seconds that the time is ahead of UTC.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        if bytes.isEmpty || [[UInt8(ascii: "Z")], [UInt8(ascii: "z")]].contains(Array(bytes)) { return 0 }
        var rest = bytes
        let sign = rest.popFirst()
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = self.number(&rest, 2) else {
            return nil
        }
        if rest.first == UInt8(ascii: ":") { rest = rest.dropFirst() }
        guard let minutes = self.number(&rest, 2), rest.isEmpty, hours < 24, minutes < 60 else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }
}
#endif

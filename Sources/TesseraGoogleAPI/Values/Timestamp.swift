// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A point in time with nanosecond precision and its UTC offset.
///
/// Timestamps that represent the same point in time are equal, even if their offsets differ.
///
/// - SeeAlso: [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339.html)
public struct Timestamp: APIValue, Hashable, Comparable, LosslessStringConvertible {
    /// The whole seconds since 1970-01-01T00:00:00Z, rounded down.
    public let seconds: Int64
    /// The fraction in nanoseconds, from 0 to 999,999,999.
    public let nanoseconds: Int
    /// The UTC offset in minutes, which is positive east of UTC, or nil for `Z`.
    public let offsetMinutes: Int?

    private static let years: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Creates a timestamp.
    ///
    /// Returns nil if the nanoseconds, the offset or the year (0 to 9999) is out of range.
    public init?(seconds: Int64, nanoseconds: Int = 0, offsetMinutes: Int? = nil) {
        guard Self.years ~= seconds, 0..<1_000_000_000 ~= nanoseconds, -1_439...1_439 ~= offsetMinutes ?? 0,
            Self.years ~= seconds + Int64(offsetMinutes ?? 0) * 60
        else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.offsetMinutes = offsetMinutes
    }

    /// Creates the timestamp closest to a date, which is clamped to the years 0 to 9999.
    public init(_ date: Date) {
        let interval = date.timeIntervalSince1970
        let bounded = min(
            max(interval.isNaN ? 0 : interval, Double(Self.years.lowerBound)),
            Double(Self.years.upperBound)
        )
        let whole = bounded.rounded(.down)
        self.seconds = Int64(whole)
        self.nanoseconds = min(Int(((bounded - whole) * 1e9).rounded()), 999_999_999)
        self.offsetMinutes = nil
    }

    /// Creates a timestamp from text such as `2026-11-23T10:00:00.5+01:00`, or returns nil for any other text.
    public init?(_ text: String) {
        var text = text
        let found = text.withUTF8 { Self(utf8: Array($0)[...]) }
        guard let found else { return nil }
        self = found
    }

    init?(utf8 text: ArraySlice<UInt8>) {
        var digits = DigitReader(text)
        guard let year = digits.number(4), digits.skip("-"), let month = digits.number(2), digits.skip("-"),
            let day = digits.number(2), let date = CivilDate(year: year, month: month, day: day),
            digits.skip("T") || digits.skip("t") || digits.skip(" "),
            let hour = digits.number(2), hour < 24, digits.skip(":"), let minute = digits.number(2), minute < 60,
            digits.skip(":"), let second = digits.number(2), second <= 60, let nanoseconds = digits.billionths()
        else { return nil }
        var offset: Int?
        if !digits.skip("Z"), !digits.skip("z") {
            let isWest = digits.next == UInt8(ascii: "-")
            guard digits.skip(isWest ? "-" : "+"), let hours = digits.number(2), hours < 24, digits.skip(":"),
                let minutes = digits.number(2), minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (isWest ? -1 : 1)
        }
        guard digits.isAtEnd else { return nil }
        let local = date.daysSince1970 * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
        self.init(seconds: local - Int64(offset ?? 0) * 60, nanoseconds: nanoseconds, offsetMinutes: offset)
    }

    /// The date, with a precision of about a tenth of a microsecond.
    public var date: Date {
        Date(timeIntervalSince1970: Double(self.seconds) + Double(self.nanoseconds) / 1e9)
    }

    /// The timestamp as text, such as `2026-11-23T10:00:00.500+01:00`.
    public var description: String {
        let local = self.seconds + Int64(self.offsetMinutes ?? 0) * 60
        let days = (local >= 0 ? local : local - 86_399) / 86_400
        let second = Int(local - days * 86_400)
        let date = CivilDate(daysSince1970: days)?.description ?? "0000-01-01"
        let time = [second / 3_600, second / 60 % 60, second % 60].map { DigitReader.padded($0, 2) }
        return date + "T" + time.joined(separator: ":") + DigitReader.fraction(self.nanoseconds) + self.zone
    }

    private var zone: String {
        guard let offset = self.offsetMinutes else { return "Z" }
        let size = abs(offset)
        return (offset < 0 ? "-" : "+") + DigitReader.padded(size / 60, 2) + ":" + DigitReader.padded(size % 60, 2)
    }

    /// Returns whether two timestamps represent the same point in time.
    public static func == (left: Self, right: Self) -> Bool {
        left.seconds == right.seconds && left.nanoseconds == right.nanoseconds
    }

    /// Hashes the point in time.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.seconds)
        hasher.combine(self.nanoseconds)
    }

    /// Returns whether one timestamp is before another.
    public static func < (left: Self, right: Self) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A duration with nanosecond precision, such as `3.5s`.
///
/// - SeeAlso: [google.protobuf.Duration](https://protobuf.dev/reference/protobuf/google.protobuf/#duration)
public struct ProtoDuration: APIValue, Hashable, Comparable, LosslessStringConvertible {
    /// The whole seconds, with the same sign as the nanoseconds.
    public let seconds: Int64
    /// The fraction in nanoseconds, from -999,999,999 to 999,999,999.
    public let nanoseconds: Int

    /// Creates a duration.
    ///
    /// Returns nil if the signs differ, or if the duration exceeds 315,576,000,000 seconds (about 10,000 years).
    public init?(seconds: Int64, nanoseconds: Int = 0) {
        guard -315_576_000_000...315_576_000_000 ~= seconds, -999_999_999...999_999_999 ~= nanoseconds,
            seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
        else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Creates a value from a duration, truncated to nanoseconds, or returns nil if it exceeds about 10,000 years.
    public init?(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(seconds: seconds, nanoseconds: Int(attoseconds / 1_000_000_000))
    }

    /// Creates a duration from text such as `3.5s`, or returns nil for any other text.
    public init?(_ text: String) { self.init(utf8: Array(text.utf8)[...]) }

    init?(utf8 text: ArraySlice<UInt8>) {
        var digits = DigitReader(text)
        let sign: Int64 = digits.skip("-") ? -1 : 1
        let whole = text.drop { $0 == UInt8(ascii: "-") }.prefix { 0x30...0x39 ~= $0 }
        guard 1...12 ~= whole.count, let seconds = digits.number(whole.count), let nanoseconds = digits.billionths(),
            digits.skip("s"), digits.isAtEnd
        else { return nil }
        self.init(seconds: Int64(seconds) * sign, nanoseconds: nanoseconds * Int(sign))
    }

    /// The value as a `Duration`.
    public var duration: Duration { .seconds(self.seconds) + .nanoseconds(self.nanoseconds) }

    /// The duration as text, such as `3.500s`.
    public var description: String {
        let sign = self.seconds < 0 || self.nanoseconds < 0 ? "-" : ""
        return sign + String(self.seconds.magnitude) + DigitReader.fraction(abs(self.nanoseconds)) + "s"
    }

    /// Returns whether one duration is shorter than another.
    public static func < (left: Self, right: Self) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

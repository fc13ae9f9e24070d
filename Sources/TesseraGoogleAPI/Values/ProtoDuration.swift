// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A span of time to the nanosecond: `3.5s`.
///
/// - SeeAlso: [google.protobuf.Duration](https://protobuf.dev/reference/protobuf/google.protobuf/#duration)
public struct ProtoDuration: APIValue, Hashable, Comparable, LosslessStringConvertible {
    /// Whole seconds, of the same sign as the nanoseconds.
    public let seconds: Int64
    /// Nanoseconds beside those, -999,999,999 to 999,999,999.
    public let nanoseconds: Int

    /// A span; nil where the signs differ, and beyond 315,576,000,000 seconds, some 10,000 years.
    public init?(seconds: Int64, nanoseconds: Int = 0) {
        guard -315_576_000_000...315_576_000_000 ~= seconds, -999_999_999...999_999_999 ~= nanoseconds,
            seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
        else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// The span of a duration, without what is less than a nanosecond; nil beyond some 10,000 years.
    public init?(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(seconds: seconds, nanoseconds: Int(attoseconds / 1_000_000_000))
    }

    /// The span of a text such as `3.5s`; nil for anything else.
    public init?(_ text: String) { self.init(utf8: Array(text.utf8)[...]) }

    init?(utf8 text: ArraySlice<UInt8>) {
        var digits = DigitReader(text)
        let sign: Int64 = digits.skip("-") ? -1 : 1
        let whole = text.drop { $0 == UInt8(ascii: "-") }.prefix { 0x30...0x39 ~= $0 }
        guard 1...12 ~= whole.count, let seconds = digits.number(whole.count) else { return nil }
        var nanoseconds = 0
        if digits.skip(".") {
            guard let fraction = digits.billionths() else { return nil }
            nanoseconds = fraction
        }
        guard digits.skip("s"), digits.isAtEnd else { return nil }
        self.init(seconds: Int64(seconds) * sign, nanoseconds: nanoseconds * Int(sign))
    }

    /// The duration.
    public var duration: Duration { .seconds(self.seconds) + .nanoseconds(self.nanoseconds) }

    /// Such as `3.500s`.
    public var description: String {
        let sign = self.seconds < 0 || self.nanoseconds < 0 ? "-" : ""
        return sign + String(self.seconds.magnitude) + DigitReader.fraction(abs(self.nanoseconds)) + "s"
    }

    /// Whether one is shorter than another.
    public static func < (left: Self, right: Self) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

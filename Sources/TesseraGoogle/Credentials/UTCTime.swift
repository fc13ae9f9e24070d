// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Times in UTC in the format that Google's services use, such as `2026-11-28T10:00:00Z`.
///
/// - SeeAlso: [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339.html)
enum UTCTime {
    /// Returns a time, whose fraction of a second is ignored, or nil if the text is not valid.
    static func date(_ text: String) -> Date? {
        guard text.hasSuffix("Z"), text.utf8.count >= 20 else { return nil }
        let fraction = text.dropLast().dropFirst(19)
        guard
            fraction.isEmpty
                || (fraction.first == "." && fraction.count > 1 && Self.number(fraction.dropFirst()) != nil)
        else { return nil }
        let fields = text.prefix(19).split(omittingEmptySubsequences: false) { "-:T".contains($0) }.map(Self.number)
        let separators = text.prefix(19).filter { !$0.isNumber }
        guard separators == "--T::", fields.count == 6, let year = fields[0], let month = fields[1],
            let day = fields[2],
            let hour = fields[3], let minute = fields[4], let second = fields[5],
            let date = CalendarDay(year: year, month: month, day: day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let seconds = hour * 3_600 + minute * 60 + second
        return Date(timeIntervalSince1970: Double(date.daysSince1970 * 86_400 + Int64(seconds)))
    }

    private static func number(_ text: some StringProtocol) -> Int? {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}

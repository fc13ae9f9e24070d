// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
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
#endif

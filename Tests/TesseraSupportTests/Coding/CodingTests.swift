// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import Testing

@Suite("Encodings")
struct CodingTests {
    @Test("Base64 is Foundation's, in both alphabets", arguments: 0..<64)
    func base64(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count &* 89) }
        let text = Data(bytes).base64EncodedString()
        let urlSafe = text.replacing("+", with: "-").replacing("/", with: "_")
        let unpadded = urlSafe.replacing("=", with: "")
        #expect(Base64.encode(bytes) == text)
        #expect(Base64.encode(bytes, isURLSafe: true) == urlSafe)
        #expect(Base64.encode(bytes, isURLSafe: true, isPadded: false) == unpadded)
        #expect(Base64.decode(text.utf8) == bytes)
        #expect(Base64.decode(urlSafe.utf8) == bytes)
        #expect(Base64.decode(unpadded.utf8) == bytes)
        #expect(Base64.decodeURLSafe(Array(unpadded.utf8)) == bytes)
    }

    @Test(
        "Base64 with other characters, or cut off, is rejected",
        arguments: ["Q", "Q*==", "QQQ*", "QQ=", "=QQQ", "Q QQ"]
    )
    func broken(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
        #expect(Base64.decodeURLSafe(Array(text.utf8)) == nil)
    }

    @Test("Bits that no byte has are rejected where the text must be canonical")
    func canonical() {
        #expect(Base64.decode("QR".utf8) == [0x41])
        #expect(Base64.decodeURLSafe(Array("QR".utf8)) == nil)
    }

    @Test(
        "A text is percent-encoded apart from the bare characters",
        arguments: [
            (PercentEncoding.Bare.unreserved, "a%20%2F%C3%BC~"), (.reserved, "a%20/%C3%BC~"), (.form, "a+%2F%C3%BC~"),
        ]
    )
    func percent(bare: PercentEncoding.Bare, text: String) { #expect(PercentEncoding.encode("a /ü~", bare) == text) }

    @Test("Broken escapes are kept, or rejected where decoding is strict", arguments: ["%", "%4", "%zz", "%+1", "%-1"])
    func brokenEscape(text: String) {
        #expect(PercentEncoding.decode(text.utf8) == Array(text.utf8))
        #expect(PercentEncoding.decode(text.utf8, isStrict: true) == nil)
    }

    @Test("Escapes of either case are bytes, and a plus sign is a space in forms only")
    func decoded() {
        #expect(PercentEncoding.decode("%c3%BC+".utf8, isStrict: true) == Array("ü+".utf8))
        #expect(PercentEncoding.decode("a+b".utf8, plusIsSpace: true) == Array("a b".utf8))
    }

    @Test("Characters with a meaning in HTML are escaped")
    func html() { #expect("<a b=\"&'\0ü\">".escapedForHTML == "&lt;a b=&quot;&amp;&#39;\u{FFFD}ü&quot;&gt;") }

    @Test(
        "Days are counted as the Gregorian calendar has them",
        arguments: [-719_528, -1, 0, 59, 11_016, 47_541, 2_932_896]
    )
    func days(number: Int64) throws {
        let day = CalendarDay(daysSince1970: number)
        #expect(day.daysSince1970 == number)
        #expect(CalendarDay(year: day.year, month: day.month, day: day.day) == day)
    }

    @Test(
        "A day that the calendar does not have is nil",
        arguments: [(2023, 2, 29), (1900, 2, 29), (2000, 4, 31), (2000, 13, 1)]
    )
    func noDay(year: Int, month: Int, day: Int) { #expect(CalendarDay(year: year, month: month, day: day) == nil) }

    static let dates: [(Double, String)] = [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_400.9, "Tue, 29 Feb 2000 00:00:00 GMT"), (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"), (-1e300, "Mon, 01 Jan 0001 00:00:00 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    ]

    @Test("A time is written as HTTP wants it", arguments: dates)
    func date(seconds: Double, text: String) { #expect(HTTPDate.text(secondsSince1970: seconds) == text) }

    @Test("A time that HTTP writes is read", arguments: dates.filter { abs($0.0) < 1e12 })
    func readDate(seconds: Double, text: String) { #expect(HTTPDate.seconds(text) == Int64(seconds.rounded(.down))) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import Testing

@Suite("Encodings")
struct CodingTests {
    @Test("Base64 matches Foundation in both alphabets", arguments: 0..<64)
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
        "Rejects Base64 with invalid characters or missing digits",
        arguments: ["Q", "Q*==", "QQQ*", "QQ=", "=QQQ", "Q QQ"]
    )
    func broken(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
        #expect(Base64.decodeURLSafe(Array(text.utf8)) == nil)
    }

    @Test("Rejects nonzero trailing bits where Base64 must be canonical")
    func canonical() {
        #expect(Base64.decode("QR".utf8) == [0x41])
        #expect(Base64.decodeURLSafe(Array("QR".utf8)) == nil)
    }

    @Test(
        "Percent-encodes all characters except the unreserved or reserved ones",
        arguments: [
            (PercentEncoding.Bare.unreserved, "a%20%2F%C3%BC~"), (.reserved, "a%20/%C3%BC~"), (.form, "a+%2F%C3%BC~"),
        ]
    )
    func percent(bare: PercentEncoding.Bare, text: String) { #expect(PercentEncoding.encode("a /ü~", bare) == text) }

    @Test(
        "Leaves invalid escapes unchanged, or rejects them in strict mode",
        arguments: ["%", "%4", "%zz", "%+1", "%-1"]
    )
    func brokenEscape(text: String) {
        #expect(PercentEncoding.decode(text.utf8) == Array(text.utf8))
        #expect(PercentEncoding.decode(text.utf8, isStrict: true) == nil)
    }

    @Test("Decodes escapes in either case and treats a plus sign as a space only in forms")
    func decoded() {
        #expect(PercentEncoding.decode("%c3%BC+".utf8, isStrict: true) == Array("ü+".utf8))
        #expect(PercentEncoding.decode("a+b".utf8, plusIsSpace: true) == Array("a b".utf8))
    }

    @Test("Escapes characters with a meaning in HTML")
    func html() { #expect("<a b=\"&'\0ü\">".escapedForHTML == "&lt;a b=&quot;&amp;&#39;\u{FFFD}ü&quot;&gt;") }

    @Test(
        "Converts days to and from Gregorian calendar dates",
        arguments: [-719_528, -1, 0, 59, 11_016, 47_541, 2_932_896]
    )
    func days(number: Int64) throws {
        let day = CalendarDay(daysSince1970: number)
        #expect(day.daysSince1970 == number)
        #expect(CalendarDay(year: day.year, month: day.month, day: day.day) == day)
    }

    @Test("Token characters are letters, digits and the punctuation that RFC 9110 lists")
    func tokenCharacters() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz"
        let tokens = (UInt8.min...UInt8.max).filter(\.isTokenCharacter)
        #expect(tokens == Array("!#$%&'*+-.0123456789\(letters)|~".utf8))
    }

    @Test(
        "Returns nil for a date that does not exist in the calendar",
        arguments: [(2023, 2, 29), (1900, 2, 29), (2000, 4, 31), (2000, 13, 1)]
    )
    func noDay(year: Int, month: Int, day: Int) { #expect(CalendarDay(year: year, month: month, day: day) == nil) }

    static let dates: [(Double, String)] = [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_400.9, "Tue, 29 Feb 2000 00:00:00 GMT"), (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"), (-1e300, "Mon, 01 Jan 0001 00:00:00 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    ]

    @Test("Formats a date as HTTP requires", arguments: dates)
    func date(seconds: Double, text: String) { #expect(HTTPDate.text(secondsSince1970: seconds) == text) }

    @Test("Parses a date in HTTP format", arguments: dates.filter { abs($0.0) < 1e12 })
    func readDate(seconds: Double, text: String) { #expect(HTTPDate.seconds(text) == Int64(seconds.rounded(.down))) }
}

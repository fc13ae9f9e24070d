// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJSON
internal import Testing

@Suite("Numbers of an API")
struct NumberTests {
    @Test(
        "A double is a number or its text, and three names",
        arguments: [
            ("1.5", 1.5), ("\"1.5\"", 1.5), ("\"-0\"", -0.0), ("\"1e-400\"", 0), ("\"Infinity\"", .infinity),
            ("\"-Infinity\"", -.infinity),
        ]
    )
    func double(_ text: String, _ value: Double) throws {
        #expect(Double(.parsed(try JSONValue(parsing: text))) == value)
    }

    @Test(
        "A number that no double can hold is none, as a number and as a text",
        arguments: ["1e400", "\"1e400\"", "\"-1e999999999999\"", "\"inf\"", "\"0x1\"", "\"\"", "\"nan\""]
    )
    func noDouble(_ text: String) throws {
        #expect(Double(.parsed(try JSONValue(parsing: text))) == nil)
    }

    @Test(
        "An integer that does not fit is none",
        arguments: [
            "9223372036854775808", "\"9223372036854775808\"", "\"+1\"", "\"1e19\"", "1.5", "\"1.5\"", "\"\u{661}\"",
            "1e99999999999999999999",
        ]
    )
    func noInteger(_ text: String) throws {
        #expect(Int64(.parsed(try JSONValue(parsing: text))) == nil)
    }
}

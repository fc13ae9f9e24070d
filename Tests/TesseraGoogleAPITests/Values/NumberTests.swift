// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJSON
internal import Testing

@Suite("API numbers")
struct NumberTests {
    @Test(
        "Reads a double from a number, a numeric string or a name such as Infinity",
        arguments: [
            ("1.5", 1.5), ("\"1.5\"", 1.5), ("\"-0\"", -0.0), ("\"1e-400\"", 0), ("\"Infinity\"", .infinity),
            ("\"-Infinity\"", -.infinity),
        ]
    )
    func double(_ text: String, _ value: Double) throws {
        #expect(Double(.parsed(try JSONValue(parsing: text))) == value)
    }

    @Test(
        "Returns nil for a value that is not a valid double",
        arguments: ["1e400", "\"1e400\"", "\"-1e999999999999\"", "\"inf\"", "\"0x1\"", "\"\"", "\"nan\""]
    )
    func noDouble(_ text: String) throws {
        #expect(Double(.parsed(try JSONValue(parsing: text))) == nil)
    }

    @Test(
        "Checks a double of a received object against JSON's number grammar",
        arguments: [
            ("0", true), ("-0.5", true), ("12.25", true), ("\"12.25\"", true), ("\"NaN\"", true), ("1e2", true),
            ("\"007\"", false), ("\"1.\"", false), ("\".5\"", false), ("\"-\"", false), ("\"1.5.5\"", false),
            ("\"1,5\"", false), ("1e400", false), ("true", false),
        ]
    )
    func receivedDouble(_ text: String, _ passes: Bool) throws {
        let value = try JSONValue(parsing: #"{"width": \#(text)}"#)
        #expect(((try? Measured.received(value)) != nil) == passes)
    }

    private struct Measured: APIObject {
        static let shape = APIShape("width: double")
        var storage = APIStorage()
    }

    @Test(
        "Returns nil for a value that is not a valid 64-bit integer",
        arguments: [
            "9223372036854775808", "\"9223372036854775808\"", "\"+1\"", "\"1e19\"", "1.5", "\"1.5\"", "\"\u{661}\"",
            "1e99999999999999999999",
        ]
    )
    func noInteger(_ text: String) throws {
        #expect(Int64(.parsed(try JSONValue(parsing: text))) == nil)
    }
}

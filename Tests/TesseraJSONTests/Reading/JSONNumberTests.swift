// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestTraits
internal import Testing
internal import TesseraJSON

@Suite("JSON numbers")
struct JSONNumberTests {
    static let integers: [(String, Int)] = [
        ("0", 0), ("-0", 0), ("3600", 3600), ("-1", -1), ("1.0", 1), ("-1.000", -1), ("1e3", 1000), ("1E+3", 1000),
        ("1.5e1", 15),
        ("1500e-2", 15), ("0.0", 0), ("0e999999999999999999999", 0), ("0.000e-5", 0), ("100e-2", 1),
        ("9223372036854775807", .max), ("-9223372036854775808", .min), ("922337203685477580.7e1", .max),
        ("9223372036854775807000e-3", .max), ("1e18", 1_000_000_000_000_000_000), ("0.00001e5", 1),
    ]

    @Test("Reads a whole number as an integer in any notation", arguments: Self.integers)
    func integer(_ text: String, _ expected: Int) throws {
        #expect(try JSONValue(parsing: text).integer() == expected)
    }

    static let tooLarge: [String] = [
        "9e18", "1e19", "1e400", "-1e400", "1e999999999999999999999999", "9223372036854775808", "-9223372036854775809",
        "99999999999999999999", "123456789012345678901234567890", "1e40", "10e18",
    ]

    @Test(
        "Throws for an integer that is out of range",
        .covers(74, 91),
        arguments: Self.tooLarge.dropFirst()
    )
    func outOfRange(_ text: String) throws {
        let value = try JSONValue(parsing: "[\(text)]").member(at: 0)
        #expect(throws: JSONError(.numberOutOfRange, offset: 1)) { try value.integer() }
        #expect(throws: JSONError(.numberOutOfRange, offset: 1)) { try value.integer(Int8.self) }
    }

    @Test("Reads 9e18 as a 64-bit but not a 32-bit integer", .covers(74))
    func large() throws {
        let value = try JSONValue(parsing: "9e18")
        #expect(try value.integer(Int64.self) == 9_000_000_000_000_000_000)
        #expect(throws: JSONError(.numberOutOfRange, offset: 0)) { try value.integer(Int32.self) }
    }

    static let fractions = [
        "1.5", "-0.5", "1e-1", "1e-999999999999999999999", "15e-1", "1.0000000000000000000001", "0.1e0",
    ]

    @Test("Rejects a number with a fractional part as an integer", .covers(74), arguments: Self.fractions)
    func fraction(_ text: String) throws {
        #expect(throws: JSONError(.wrongKind, offset: 0)) { try JSONValue(parsing: text).integer() }
    }

    @Test("Checks the bounds of small and unsigned types")
    func types() throws {
        #expect(try JSONValue(parsing: "255").integer(UInt8.self) == 255)
        #expect(try JSONValue(parsing: "-128").integer(Int8.self) == -128)
        #expect(try JSONValue(parsing: "-0").integer(UInt.self) == 0)
        #expect(try JSONValue(parsing: "18446744073709551615").integer(UInt64.self) == .max)
        #expect(throws: JSONError(.numberOutOfRange, offset: 0)) { try JSONValue(parsing: "256").integer(UInt8.self) }
        #expect(throws: JSONError(.numberOutOfRange, offset: 0)) { try JSONValue(parsing: "-1").integer(UInt.self) }
        #expect(throws: JSONError(.numberOutOfRange, offset: 0)) { try JSONValue(parsing: "1e3").integer(Int8.self) }
    }

    static let doubles: [(String, Double)] = [
        ("0", 0), ("-0", -0.0), ("1.5", 1.5), ("1e300", 1e300), ("0.1", 0.1), ("5e-324", .leastNonzeroMagnitude),
        ("1e-400", 0),
        ("1.7976931348623157e308", .greatestFiniteMagnitude),
        ("123456789012345678901234567890", 0x1.8ee9_0ff6_c373ep+96),
    ]

    @Test("Reads a number as the nearest double", arguments: Self.doubles)
    func double(_ text: String, _ expected: Double) throws {
        #expect(try JSONValue(parsing: text).double() == expected)
    }

    @Test(
        "Throws for a double that would be infinite",
        .covers(74, 91),
        arguments: ["1e400", "-1e400", "1e309", "1e999999999999999999999999"]
    )
    func infinite(_ text: String) throws {
        #expect(throws: JSONError(.numberOutOfRange, offset: 0)) { try JSONValue(parsing: text).double() }
    }

    @Test(
        "Rejects a value of another kind as a number",
        .covers(74),
        arguments: ["null", "true", "\"3600\"", "[]", "{}"]
    )
    func kind(_ text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(throws: JSONError(.wrongKind, offset: 0)) { try value.integer() }
        #expect(throws: JSONError(.wrongKind, offset: 0)) { try value.double() }
        #expect(value.numberText == nil)
    }

    @Test(
        "Reads numbers of 14 to 17 digits identically on the fast and slow paths",
        arguments: [
            "12345678901234", "123456789012345", "1234567890123456", "12345678901234567", "9007199254740993",
        ]
    )
    func shortAndLong(digits: String) throws {
        for text in [digits, "-" + digits] {
            #expect(try JSONValue(parsing: text).integer() == Int(text))
            #expect(try JSONValue(parsing: text).double() == Double(text))
            #expect(try JSONValue(parsing: text + "e0").integer() == Int(text))
        }
    }

    @Test("Preserves the sign of a short number")
    func shortSign() throws {
        #expect(try JSONValue(parsing: "-0").double().sign == .minus)
        #expect(throws: JSONError(.numberOutOfRange, offset: 0)) { try JSONValue(parsing: "-12").integer(UInt8.self) }
    }

    @Test("Preserves the text of a number")
    func text() throws {
        #expect(try JSONValue(parsing: " 1.50E+1 ").numberText == "1.50E+1")
    }

    @Test("Handles a number with a million digits without a trap")
    func long() throws {
        let digits = String(repeating: "9", count: 1_000_000)
        #expect(throws: JSONError(.numberOutOfRange, offset: 0)) { try JSONValue(parsing: digits).integer() }
        #expect(throws: JSONError(.numberOutOfRange, offset: 0)) { try JSONValue(parsing: digits).double() }
        #expect(throws: JSONError(.wrongKind, offset: 0)) { try JSONValue(parsing: "0." + digits).integer() }
        let zeros = String(repeating: "0", count: 1_000_000)
        #expect(try JSONValue(parsing: "1\(zeros)e-1000000").integer() == 1)
    }
}

extension JSONValue {
    fileprivate func member(at location: Int) throws -> JSONValue { try #require(self[location]) }
}

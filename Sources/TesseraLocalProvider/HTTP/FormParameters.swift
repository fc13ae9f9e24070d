// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraSupport

/// The parameters of a query or of an `application/x-www-form-urlencoded` body, in order, decoded.
struct FormParameters: Sendable {
    /// The text is not a form: a bad percent sign, or bytes that are no UTF-8.
    struct Malformed: Error {}

    private(set) var pairs: [(name: String, value: String)] = []

    init(decoding text: String) throws(Malformed) { try self.init(decoding: Array(text.utf8)) }

    init(decoding bytes: [UInt8]) throws(Malformed) {
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(sides[0])
            self.pairs.append((name, sides.count > 1 ? try Self.decoded(sides[1]) : ""))
        }
    }

    /// The first value of that name; an empty value counts as absent (RFC 6749, section 3.1).
    subscript(_ name: String) -> String? {
        self.pairs.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    /// Every value of that name.
    func values(_ name: String) -> [String] { self.pairs.filter { $0.name == name }.map(\.value) }

    /// A name that occurs more than once, if there is one.
    var repeatedName: String? {
        var seen: Set<String> = []
        return self.pairs.first { !seen.insert($0.name).inserted }?.name
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                result.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit)
                else { throw Malformed() }
                result.append(high << 4 | low)
            default:
                result.append(byte)
            }
        }
        guard let text = String(wellFormedUTF8: result) else { throw Malformed() }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension FormParameters {
    /// A whole number; nil where the parameter is absent.
    func number(_ name: String, in range: ClosedRange<Int>) throws(APIFailure) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .invalid(
                name,
                "Invalid value '\(text.prefix(40))'. Values must be within the range: "
                    + "[\(range.lowerBound), \(range.upperBound)]"
            )
        }
        return number
    }

    /// A truth value; false where the parameter is absent.
    func flag(_ name: String) throws(APIFailure) -> Bool {
        switch self[name]?.lowercased() {
        case nil, "false": return false
        case "true": return true
        default: throw .invalid(name)
        }
    }
}

extension String {
    /// The text as it may stand in a query: everything but RFC 3986's unreserved characters is percent-encoded.
    var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in self.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(byte)
            default:
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// This address with parameters added to its query.
    func addingQuery(_ parameters: [(name: String, value: String)]) -> String {
        let query = parameters.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return self + (self.contains("?") ? "&" : "?") + query
    }
}
#endif

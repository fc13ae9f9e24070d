// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON

extension JSONNode {
    /// A parsed value, of which nothing keeps the document alive.
    ///
    /// A number that no `Double` holds, such as `1e400`, becomes null.
    init(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .bool: self = .bool(value.bool == true)
        case .number:
            if let integer = try? value.integer(Int64.self) {
                self = .integer(integer)
            } else {
                self = (try? value.double()).map { .double($0) } ?? .null
            }
        case .string: self = .string(value.string ?? "")
        case .array: self = .array(value.elements.map { $0.map { JSONNode($0) } } ?? [])
        case .object:
            let members = value.members.map { $0.map { JSONMember(name: $0.name, value: JSONNode($0.value)) } }
            self = .object(members ?? [])
        }
    }

    /// A value of Swift or of Foundation, a URL as its text; nil for what JSON has no word for.
    init?(any value: Any) {
        switch value {
        case is NSNull: self = .null
        case let text as String: self = .string(text)
        case let text as NSString: self = .string(text.description)
        case let url as URL: self = .string(url.absoluteString)
        case let number as NSNumber: self = Self.number(number)
        case let flag as Bool: self = .bool(flag)
        case let integer as any BinaryInteger:
            self = Int64(exactly: integer).map { .integer($0) } ?? .double(Double(integer))
        case let number as any BinaryFloatingPoint: self = .double(Double(number))
        case let dictionary as NSDictionary: self = .object(JSONParameters(dictionary).sorted)
        case let dictionary as [AnyHashable: Any]: self = .object(JSONParameters(dictionary).sorted)
        case let array as NSArray: self = .array(array.compactMap { JSONNode(any: $0) })
        case let array as [Any]: self = .array(array.compactMap { JSONNode(any: $0) })
        default: return nil
        }
    }

    private static func number(_ number: NSNumber) -> JSONNode {
        // The encodings of types: c and B are truth values, f and d have a fraction.
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): .bool(number.boolValue)
        case UInt8(ascii: "f"), UInt8(ascii: "d"): .double(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }

    /// The value as a program reads it: `String`, `NSNumber`, `[Any]`, `[String: Any]` or `NSNull`.
    ///
    /// A number is AppAuth's `NSNumber`, which is an `Int` as well as a `Bool` to who asks: Foundation's archiver for Linux
    /// takes 1 and true for the same.
    var value: Any {
        switch self {
        case .null, .bool, .integer, .double: self.archived
        case .string(let text): text
        case .array(let elements): elements.map(\.value)
        case .object(let members): JSONParameters(members).dictionary
        case .parsed(let value): JSONNode(value).value
        }
    }

    /// The value as it stands in an archive.
    var archived: NSObject {
        switch self {
        case .null: NSNull()
        case .bool(let flag): NSNumber(value: flag)
        case .integer(let integer): NSNumber(value: integer)
        case .double(let number): NSNumber(value: number)
        case .string(let text): NSString(string: text)
        case .array(let elements): NSArray(array: elements.map(\.archived))
        case .object(let members): JSONParameters(members).archived
        case .parsed(let value): JSONNode(value).archived
        }
    }
}

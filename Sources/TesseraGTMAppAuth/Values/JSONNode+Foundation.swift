// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON

extension JSONNode {
    /// Creates a copy of a parsed value that does not retain the document.
    ///
    /// A number that `Double` cannot represent, such as `1e400`, becomes null.
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

    /// Creates a node from a Swift or Foundation value, or returns nil if JSON cannot represent it.
    ///
    /// A URL is converted to a string.
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
        // Objective-C type encodings: c and B are Booleans, f and d are floating-point numbers.
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): .bool(number.boolValue)
        case UInt8(ascii: "f"), UInt8(ascii: "d"): .double(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }

    /// The value as a `String`, `NSNumber`, `[Any]`, `[String: Any]` or `NSNull`.
    ///
    /// As in AppAuth, numbers and Booleans are `NSNumber` objects and can be cast to `Int` and `Bool`. Foundation's
    /// archiver on Linux does not distinguish 1 from true.
    var value: Any {
        switch self {
        case .null, .bool, .integer, .double: self.archived
        case .string(let text): text
        case .array(let elements): elements.map(\.value)
        case .object(let members): JSONParameters(members).dictionary
        case .parsed(let value): JSONNode(value).value
        }
    }

    /// The value as an object that can be archived.
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

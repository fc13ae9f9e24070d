// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
package import TesseraJSON

/// The names and types of an object's members, according to the API's documentation.
///
/// This type is meant for generated code. A shape is written as lines in the form `name: kind`. A kind is `string`,
/// `bool`, `int32`, `uint32`, `int64`, `uint64`, `double`, `bytes`, `timestamp`, `date`, `duration`, `mask`, `any` or
/// the name of an object. `[kind]` is an array, and `{kind}` is an object with arbitrary member names.
public struct APIShape: Sendable {
    package let json: JSONShape
    /// The text of the shape, with one member on each line.
    package let lines: String
    /// The types of the objects named in the text.
    package let objects: [String: any APIObject.Type]

    /// Creates a shape.
    ///
    /// - Parameters:
    ///   - lines: The members, one per line.
    ///   - objects: The types of the objects named in the lines.
    public init(_ lines: String = "", _ objects: [String: any APIObject.Type] = [:]) {
        self.lines = lines
        self.objects = objects
        self.json = JSONShape(
            lines.split(separator: "\n")
                .compactMap { line in
                    guard let colon = line.firstRange(of: ": ") else { return nil }
                    return JSONShape.Field(
                        String(line[..<colon.lowerBound]),
                        Self.kind(line[colon.upperBound...], objects)
                    )
                }
        )
    }

    /// The names of the members.
    var names: Set<String> { Set(self.json.fields.map(\.name)) }

    /// Throws a `ProtocolViolationError` if a received value does not match the shape.
    func check(_ value: JSONValue) throws {
        do {
            try value.check(self.json)
        } catch {
            throw ProtocolViolationError(
                .apiResponse,
                expected: error.expected + (error.path.isEmpty ? "" : " at " + error.path),
                actual: error.actual.description,
                section: "the API's discovery document"
            )
        }
    }

    private static func kind(_ text: Substring, _ objects: [String: any APIObject.Type]) -> JSONShape.Kind {
        if text.hasPrefix("[") { return .list(Self.kind(text.dropFirst().dropLast(), objects)) }
        if text.hasPrefix("{") { return .map(Self.kind(text.dropFirst().dropLast(), objects)) }
        switch text {
        case "string", "bytes", "timestamp", "date", "duration", "mask": return .text
        case "bool": return .bool
        case "int32": return .number { NumberText.isInteger($0, Int32.self) }
        case "uint32": return .number { NumberText.isInteger($0, UInt32.self) }
        case "int64": return .number { NumberText.isInteger($0, Int64.self) }
        case "uint64": return .number { NumberText.isInteger($0, UInt64.self) }
        case "double": return .number { NumberText.isDouble($0) }
        default:
            guard let object = objects[String(text)] else { return .any }
            return .object { object.shape.json }
        }
    }
}

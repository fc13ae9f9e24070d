// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A type in Swift, and how an `APIShape` names it.
struct SwiftType {
    /// Such as `[DriveV3.User]`.
    let text: String
    /// Such as `[User]`.
    let shape: String
    /// The objects that the shape names, and their types.
    let objects: [String: String]

    static func plain(_ text: String, _ shape: String) -> SwiftType {
        SwiftType(text: text, shape: shape, objects: [:])
    }

    /// The label of the subscript of `APIStorage` that reads and writes one.
    var label: String {
        switch self.text {
        case "String", "Bool", "Int", "Int64", "Double", "Timestamp": self.text.lowercased()
        case "JSONNode": "json"
        default: "value"
        }
    }

    var list: SwiftType { SwiftType(text: "[\(self.text)]", shape: "[\(self.shape)]", objects: self.objects) }
    var map: SwiftType { SwiftType(text: "[String: \(self.text)]", shape: "{\(self.shape)}", objects: self.objects) }

    /// The type of a text or a number, by its format.
    static func scalar(_ type: String, _ format: String?) -> SwiftType {
        switch (type, format) {
        case ("string", "int64"): .plain("Int64", "int64")
        case ("string", "uint64"): .plain("UInt64", "uint64")
        case ("string", "byte"): .plain("Data", "bytes")
        case ("string", "google-datetime"), ("string", "date-time"): .plain("Timestamp", "timestamp")
        case ("string", "date"): .plain("CivilDate", "date")
        case ("string", "google-duration"): .plain("ProtoDuration", "duration")
        case ("string", "google-fieldmask"): .plain("FieldMask", "mask")
        case ("string", _): .plain("String", "string")
        case ("boolean", _): .plain("Bool", "bool")
        case ("integer", "uint32"): .plain("UInt32", "uint32")
        case ("integer", "int64"): .plain("Int64", "int64")
        case ("integer", _): .plain("Int", "int32")
        case ("number", _): .plain("Double", "double")
        default: .plain("JSONNode", "any")
        }
    }
}

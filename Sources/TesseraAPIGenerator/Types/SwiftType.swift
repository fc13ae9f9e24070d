// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A Swift type and its notation in an `APIShape`.
struct SwiftType {
    /// The type in Swift, such as `[DriveV3.User]`.
    let text: String
    /// The kind in a shape, such as `[User]`.
    let shape: String
    /// The types of the objects named in the shape.
    let objects: [String: String]

    static func plain(_ text: String, _ shape: String) -> SwiftType {
        SwiftType(text: text, shape: shape, objects: [:])
    }

    /// The label of the `APIStorage` subscript for this type.
    var label: String {
        switch self.text {
        case "String", "Bool", "Int", "Int64", "Double", "Timestamp": self.text.lowercased()
        case "JSONNode": "json"
        default: "value"
        }
    }

    var list: SwiftType { SwiftType(text: "[\(self.text)]", shape: "[\(self.shape)]", objects: self.objects) }
    var map: SwiftType { SwiftType(text: "[String: \(self.text)]", shape: "{\(self.shape)}", objects: self.objects) }

    /// Returns the type for a string, number or Boolean with the given format.
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

/// Collects a type's nested types while its members are being written.
struct TypeScope {
    /// A nested type.
    enum Nested {
        case object([DiscoverySchema.Property], description: String)
        case enumeration([DiscoverySchema.Value], description: String)
    }

    private let generator: APIGenerator
    /// The enclosing type, such as `DriveV3.File`.
    let path: String
    private(set) var nested: [(name: String, type: Nested)] = []
    private var names: UniqueNames

    init(_ generator: APIGenerator, _ path: String, taken: Set<String> = []) {
        self.generator = generator
        self.path = path
        // A nested type with the same name would hide the enclosing type.
        self.names = UniqueNames(taken.union([path.split(separator: ".").last.map(String.init) ?? ""]))
    }

    /// Returns the type of a value.
    ///
    /// A type that has no name is declared as a nested type and named after the member.
    mutating func type(of schema: DiscoverySchema, named name: String) -> SwiftType {
        switch schema.kind {
        case .reference(let reference): return self.reference(reference, named: name)
        case .list(let element): return self.type(of: element, named: name).list
        case .map(let value): return self.type(of: value, named: name).map
        case .scalar(let type, let format): return .scalar(type, format)
        case .object(let properties):
            guard !properties.isEmpty else { return SwiftType.plain("JSONNode", "any").map }
            let type = self.names.take(SwiftName.type(name), for: name)
            self.nested.append((type, .object(properties, description: schema.description)))
            // A shape may name both this type and a schema with the same name.
            let shape = self.generator.schemaNames.values.contains(type) ? type + "Nested" : type
            return SwiftType(text: type, shape: shape, objects: [shape: type])
        case .enumeration(let values):
            let type = self.names.take(SwiftName.type(name), for: name)
            self.nested.append((type, .enumeration(values, description: schema.description)))
            return .plain(type, "string")
        }
    }

    private mutating func reference(_ reference: String, named name: String) -> SwiftType {
        guard let schema = self.generator.document.schemas[reference],
            let swift = self.generator.schemaNames[reference]
        else {
            return .plain("JSONNode", "any")
        }
        // A schema that is not an object becomes a type alias and has the shape of the underlying type.
        if case .object = schema.kind {
            return SwiftType(
                text: "\(self.generator.namespace).\(swift)",
                shape: swift,
                objects: [swift: "\(self.generator.namespace).\(swift)"]
            )
        }
        let namespace = self.generator.namespace
        guard !self.generator.isRecursiveAlias(reference) else { return .plain("\(namespace).\(swift)", "any") }
        // The types that the alias's file declares, seen from outside of the namespace.
        var other = TypeScope(self.generator, namespace)
        let type = other.type(of: schema, named: swift + "Element")
        let objects = type.objects.mapValues { $0.contains(".") ? $0 : "\(namespace).\($0)" }
        return SwiftType(text: "\(namespace).\(swift)", shape: type.shape, objects: objects)
    }
}

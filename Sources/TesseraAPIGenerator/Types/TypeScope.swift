// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The types that are declared within a type while its members are written.
struct TypeScope {
    /// A type that stands within another one.
    enum Nested {
        case object([DiscoverySchema.Property], description: String)
        case enumeration([DiscoverySchema.Value], description: String)
    }

    private let generator: APIGenerator
    /// The type that they are declared in, such as `DriveV3.File`.
    let path: String
    private(set) var nested: [(name: String, type: Nested)] = []
    private var names: UniqueNames

    init(_ generator: APIGenerator, _ path: String, taken: Set<String> = []) {
        self.generator = generator
        self.path = path
        // A type within another one of the same name would hide it.
        self.names = UniqueNames(taken.union([path.split(separator: ".").last.map(String.init) ?? ""]))
    }

    /// The type of a value; what has no name of its own is declared under the member's.
    mutating func type(of schema: DiscoverySchema, named name: String) -> SwiftType {
        switch schema.kind {
        case .reference(let reference): return self.reference(reference, named: name)
        case .list(let element): return self.type(of: element, named: name).list
        case .map(let value): return self.type(of: value, named: name).map
        case .scalar(let type, let format): return .scalar(type, format)
        case .object(let properties):
            guard !properties.isEmpty else { return SwiftType.plain("JSONNode", "any").map }
            let type = self.names.take(SwiftType.nested(name), for: name)
            self.nested.append((type, .object(properties, description: schema.description)))
            return SwiftType(text: type, shape: type, objects: [type: type])
        case .enumeration(let values):
            let type = self.names.take(SwiftType.nested(name), for: name)
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
        // A schema that is no object has a name for readers and a shape of its own.
        if case .object = schema.kind {
            return SwiftType(
                text: "\(self.generator.namespace).\(swift)",
                shape: swift,
                objects: [swift: "\(self.generator.namespace).\(swift)"]
            )
        }
        var other = TypeScope(self.generator, "\(self.generator.namespace).\(swift)")
        let type = other.type(of: schema, named: reference)
        return SwiftType(text: "\(self.generator.namespace).\(swift)", shape: type.shape, objects: type.objects)
    }
}

extension SwiftType {
    /// The name of a type that stands within another one.
    fileprivate static func nested(_ name: String) -> String { SwiftName.type(name) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The type and description of a schema, a property or a parameter.
public struct DiscoverySchema: Sendable {
    /// A property of an object.
    public struct Property: Sendable {
        /// The name of the member.
        public let name: String
        /// The type and description of the member.
        public let schema: DiscoverySchema
    }

    /// A value in an enumeration.
    public struct Value: Sendable {
        /// The value as it appears in JSON.
        public let text: String
        /// Google's description of the value.
        public let description: String
        /// Whether the value is deprecated.
        public let isDeprecated: Bool

        fileprivate static func all(in object: DiscoveryObject) throws -> [Value] {
            let descriptions = try object.strings("enumDescriptions", .prose)
            let deprecated = try object.bools("enumDeprecated")
            return try object.strings("enum", .enumerationValue).enumerated()
                .map { location, text in
                    Value(
                        text: text,
                        description: descriptions.indices.contains(location) ? descriptions[location] : "",
                        isDeprecated: deprecated.indices.contains(location) && deprecated[location]
                    )
                }
        }
    }

    /// The kinds of types.
    public indirect enum Kind: Sendable {
        /// A reference to another schema in the document, by name.
        case reference(String)
        /// An array.
        case list(DiscoverySchema)
        /// An object with arbitrary member names.
        case map(DiscoverySchema)
        /// An object with known members.
        case object([Property])
        /// A string with known values.
        case enumeration([Value])
        /// A scalar type and its format, such as `string` and `int64`.
        case scalar(String, format: String?)
    }

    /// The type's kind.
    public let kind: Kind
    /// Google's description of the type.
    public let description: String
    /// Whether only the API sets the value.
    public let isReadOnly: Bool
    /// Whether the value is deprecated.
    public let isDeprecated: Bool
    /// The minimum and maximum values, as written in the document.
    public let bounds: (minimum: String?, maximum: String?)
    /// A regular expression that a string must match.
    public let pattern: String?
    /// The methods that require the value.
    public let requiredBy: [String]

    init(_ object: DiscoveryObject, _ keys: inout UnknownKeys, known: Set<String> = DiscoveryKeys.schema)
        throws
    {
        keys.check(object, known)
        self.description = try object.string("description", .prose) ?? ""
        let text = self.description
        let isMarked = ["Output only.", "[Output Only]"].contains { text.hasPrefix($0) }
        self.isReadOnly = try object.bool("readOnly") || isMarked
        self.pattern = try object.string("pattern", .pattern)
        self.bounds = (try object.string("minimum", .number), try object.string("maximum", .number))
        self.isDeprecated = try object.bool("deprecated")
        self.requiredBy = try object.object("annotations")?.strings("required", .methodID) ?? []
        let type = try object.string("type", .type)
        let format = try object.string("format", .word)
        let values = try Value.all(in: object)
        if let reference = try object.string("$ref", .schemaName) {
            self.kind = .reference(reference)
        } else if let items = try object.object("items") {
            self.kind = .list(try DiscoverySchema(items, &keys))
        } else if let element = try object.object("additionalProperties") {
            self.kind = .map(try DiscoverySchema(element, &keys))
        } else if type == "object" {
            self.kind = .object(
                try object.objects("properties", .memberName)
                    .map { Property(name: $0, schema: try DiscoverySchema($1, &keys)) }
            )
        } else if !values.isEmpty {
            self.kind = .enumeration(values)
        } else {
            self.kind = .scalar(type ?? "any", format: format)
        }
    }

    /// The names of all schemas referenced by this schema and its nested types.
    var references: Set<String> {
        switch self.kind {
        case .reference(let name): [name]
        case .list(let schema), .map(let schema): schema.references
        case .object(let properties): properties.reduce(into: []) { $0.formUnion($1.schema.references) }
        case .enumeration, .scalar: []
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Writes a schema, and what is declared within it.
struct SchemaWriter {
    private let generator: APIGenerator
    private let name: String

    init(_ generator: APIGenerator, _ name: String) {
        self.generator = generator
        self.name = name
    }

    func file() -> GeneratedFile {
        let swift = self.generator.schemaNames[self.name] ?? self.name
        var body = SourceText()
        if let schema = self.generator.document.schemas[self.name] {
            body.block("extension \(self.generator.namespace) {") { source in
                if case .object(let properties) = schema.kind {
                    Self(self.generator, self.name)
                        .object(
                            swift,
                            "\(self.generator.namespace).\(swift)",
                            properties,
                            schema.description,
                            &source
                        )
                } else {
                    var scope = TypeScope(self.generator, self.generator.namespace)
                    let type = scope.type(of: schema, named: swift + "Element")
                    source.document([self.summary(schema.description, self.name)])
                    source.line("public typealias \(swift) = \(type.text)")
                    NestedWriter(self.generator).write(scope, &source)
                }
            }
        }
        let heading = self.generator.heading(importing: Imports.of(body.text))
        return GeneratedFile(path: "Schemas/\(swift).swift", text: heading.text + body.text)
    }

    /// An object with its members.
    func object(
        _ swift: String,
        _ path: String,
        _ properties: [DiscoverySchema.Property],
        _ description: String,
        _ source: inout SourceText
    ) {
        var scope = TypeScope(self.generator, path)
        var names = UniqueNames()
        let members = properties.map { property in
            Member(
                property: property,
                name: names.take(SwiftName.member(property.name, of: .object), for: property.name),
                type: scope.type(of: property.schema, named: property.name)
            )
        }
        source.document([self.summary(description, self.name)])
        let isIdentifiable = members.contains { $0.isIdentity } && !scope.nested.contains { $0.name == "ID" }
        let protocols = isIdentifiable ? "APIObject, Identifiable" : "APIObject"
        source.block("public struct \(SwiftName.declared(swift)): \(protocols) {") { source in
            source.documentLine("The members.")
            source.line("public var storage = APIStorage()")
            source.line()
            source.documentLine("An object without members.")
            source.line("public init() {}")
            self.shape(members, &source)
            for member in members { self.property(member, &source) }
            NestedWriter(self.generator).write(scope, &source)
        }
    }

    private struct Member {
        let property: DiscoverySchema.Property
        let name: String
        let type: SwiftType

        /// Whether it is what `Identifiable` demands.
        var isIdentity: Bool {
            guard self.name == "id", case .scalar(let type, _) = self.property.schema.kind else { return false }
            return type == "string" || type == "integer"
        }
    }

    private func shape(_ members: [Member], _ source: inout SourceText) {
        source.line()
        source.documentLine("What the members are.")
        guard !members.isEmpty else {
            source.line("public static let shape = APIShape()")
            return
        }
        let objects = members.reduce(into: [String: String]()) { $0.merge($1.type.objects) { first, _ in first } }
        source.block("public static let shape = APIShape(", closing: ")") { source in
            source.line("\"\"\"")
            for member in members {
                source.line("\(SwiftLiteral.escaped(member.property.name)): \(member.type.shape)")
            }
            source.line("\"\"\"" + (objects.isEmpty ? "" : ","))
            guard !objects.isEmpty else { return }
            source.block("[", closing: "]") { source in
                for (name, type) in objects.sorted(by: { $0.key < $1.key }) {
                    source.line("\(SwiftLiteral.quoted(name)): \(type).self,")
                }
            }
        }
    }

    private func property(_ member: Member, _ source: inout SourceText) {
        let schema = member.property.schema
        source.line()
        var facts: [String] = []
        if schema.isReadOnly { facts.append("Set by the API alone.") }
        if !schema.requiredBy.isEmpty {
            facts.append("Needed by " + schema.requiredBy.map { "`\($0)`" }.joined(separator: ", ") + ".")
        }
        source.document([
            self.summary(schema.description, member.property.name), facts.joined(separator: " "),
        ])
        if schema.isDeprecated { source.line(self.generator.prose.deprecation(schema.description)) }
        source.line(Emission.inClients)
        source.block("public var \(SwiftName.declared(member.name)): \(member.type.text)? {") { source in
            let name = SwiftLiteral.quoted(member.property.name)
            source.line("get { self.storage[\(member.type.label): \(name)] }")
            source.line("set { self.storage[\(member.type.label): \(name)] = newValue }")
        }
    }

    private func summary(_ description: String, _ name: String) -> String {
        let text = self.generator.prose.text(description)
        return text.isEmpty ? "`\(name)`" : text.withFullStop
    }
}

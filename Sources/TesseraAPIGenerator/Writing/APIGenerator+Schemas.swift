// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension APIGenerator {
    /// Returns a file that contains a schema and its nested types.
    func schemaFile(_ name: String) -> GeneratedFile {
        let swift = self.schemaNames[name] ?? name
        var body = SourceText()
        var isAlias = false
        if let schema = self.document.schemas[name] {
            let summary = self.prose.summary(schema.description, of: name)
            body.block("extension \(self.namespace) {") { source in
                if case .object(let properties) = schema.kind {
                    self.object(swift, "\(self.namespace).\(swift)", properties, summary, &source)
                } else {
                    isAlias = true
                    var scope = TypeScope(self, self.namespace)
                    // Swift has no recursive aliases.
                    let text =
                        self.isRecursiveAlias(name)
                        ? "JSONNode" : scope.type(of: schema, named: swift + "Element").text
                    source.document([summary])
                    source.line("public typealias \(swift) = \(text)")
                    self.nested(scope, &source)
                }
            }
        }
        let heading = self.heading(importing: Imports.of(body.text, isAlias: isAlias))
        return GeneratedFile(path: "Schemas/\(swift).swift", text: heading.text + body.text)
    }

    /// Writes an object and its members.
    private func object(
        _ swift: String,
        _ path: String,
        _ properties: [DiscoverySchema.Property],
        _ summary: String,
        _ source: inout SourceText
    ) {
        var scope = TypeScope(self, path)
        var names = UniqueNames()
        let members = properties.map { property in
            Member(
                property: property,
                name: names.take(SwiftName.member(property.name, of: .object), for: property.name),
                type: scope.type(of: property.schema, named: property.name)
            )
        }
        source.document([summary])
        let isIdentifiable = members.contains { $0.isIdentity } && !scope.nested.contains { $0.name == "ID" }
        let protocols = isIdentifiable ? "APIObject, Identifiable" : "APIObject"
        source.block("public struct \(SwiftName.declared(swift)): \(protocols) {") { source in
            source.declare("The storage of the members.", "public var storage = APIStorage()", isFirst: true)
            source.declare("Creates an object without members.", "public init() {}")
            self.shape(members, &source)
            for member in members {
                let schema = member.property.schema
                var facts: [String] = []
                if schema.isReadOnly { facts.append("Output only.") }
                if !schema.requiredBy.isEmpty {
                    facts.append("Required by " + schema.requiredBy.map { "`\($0)`" }.joined(separator: ", ") + ".")
                }
                self.property(
                    member.name,
                    member.type,
                    of: "self.storage",
                    member.property,
                    facts: facts.joined(separator: " "),
                    &source
                )
            }
            self.nested(scope, &source)
        }
    }

    private func shape(_ members: [Member], _ source: inout SourceText) {
        source.line()
        source.documentLine("The names and types of the members.")
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

    /// Writes the nested types of a type.
    func nested(_ scope: TypeScope, _ source: inout SourceText) {
        for (name, type) in scope.nested {
            source.line()
            switch type {
            case .object(let properties, let description):
                let summary = self.prose.summary(description, of: name)
                self.object(name, "\(scope.path).\(name)", properties, summary, &source)
            case .enumeration(let values, let description):
                self.enumeration(name, values, description, &source)
            }
        }
    }

    private func enumeration(
        _ name: String,
        _ values: [DiscoverySchema.Value],
        _ description: String,
        _ source: inout SourceText
    ) {
        source.document([self.prose.summary(description, of: name)])
        source.block("public struct \(SwiftName.declared(name)): APIEnumeration {") { source in
            source.declare("The value in JSON.", "public let rawValue: String", isFirst: true)
            source.declare(
                "Creates a value, which may be unknown.",
                "public init(rawValue: String) { self.rawValue = rawValue }"
            )
            var names = UniqueNames(["rawValue", "node"])
            for value in values {
                source.line()
                source.document([self.prose.summary(value.description, of: value.text)])
                let declared = SwiftName.declared(names.take(SwiftName.value(value.text), for: value.text))
                if value.isDeprecated { source.line(self.prose.deprecation(value.description)) }
                source.line(Emission.inClients)
                source.line(
                    "public static var \(declared): Self { Self(rawValue: \(SwiftLiteral.quoted(value.text))) }"
                )
            }
        }
    }

    /// Writes a property for an object's member or a request's parameter.
    func property(
        _ name: String,
        _ type: SwiftType,
        of storage: String,
        _ property: DiscoverySchema.Property,
        facts: String = "",
        _ source: inout SourceText
    ) {
        source.line()
        source.document([self.prose.summary(property.schema.description, of: property.name), facts])
        if property.schema.isDeprecated { source.line(self.prose.deprecation(property.schema.description)) }
        source.line(Emission.inClients)
        source.block("public var \(SwiftName.declared(name)): \(type.text)? {") { source in
            let member = "\(storage)[\(type.label): \(SwiftLiteral.quoted(property.name))]"
            source.line("get { \(member) }")
            source.line("set { \(member) = newValue }")
        }
    }
}

private struct Member {
    let property: DiscoverySchema.Property
    let name: String
    let type: SwiftType

    /// Whether the member meets the requirement of `Identifiable`.
    var isIdentity: Bool {
        guard self.name == "id", case .scalar(let type, _) = self.property.schema.kind else { return false }
        return type == "string" || type == "integer"
    }
}

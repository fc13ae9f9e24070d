// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Writes the types that are declared within another one.
struct NestedWriter {
    private let generator: APIGenerator

    init(_ generator: APIGenerator) { self.generator = generator }

    func write(_ scope: TypeScope, _ source: inout SourceText) {
        for (name, type) in scope.nested {
            source.line()
            switch type {
            case .object(let properties, let description):
                SchemaWriter(self.generator, name)
                    .object(name, "\(scope.path).\(name)", properties, description, &source)
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
        let text = self.generator.prose.text(description)
        source.document([text.isEmpty ? "`\(name)`" : text.withFullStop])
        source.block("public struct \(SwiftName.declared(name)): APIEnumeration {") { source in
            source.documentLine("As it is sent.")
            source.line("public let rawValue: String")
            source.line()
            source.documentLine("A value, known or not.")
            source.line("public init(rawValue: String) { self.rawValue = rawValue }")
            var names = UniqueNames(["rawValue", "node"])
            for value in values {
                source.line()
                let summary = self.generator.prose.text(value.description)
                source.document([summary.isEmpty ? "`\(value.text)`" : summary.withFullStop])
                let declared = SwiftName.declared(names.take(SwiftName.value(value.text), for: value.text))
                if value.isDeprecated { source.line(self.generator.prose.deprecation(value.description)) }
                source.line(Emission.inClients)
                source.line(
                    "public static var \(declared): Self { Self(rawValue: \(SwiftLiteral.quoted(value.text))) }"
                )
            }
        }
    }
}

/// Writes the resources of an API and their methods.
struct ResourceWriter {
    private let generator: APIGenerator

    init(_ generator: APIGenerator) { self.generator = generator }

    func files() -> [GeneratedFile] {
        let root = self.generator.root
        // A client's own methods stand beside the schemas, and must not have their names.
        var names = UniqueNames(Set(self.generator.schemaNames.values))
        let methods = root.methods.map { method in
            let name = names.take(SwiftName.type(method.name) + "Request", for: method.name)
            return RequestWriter(self.generator, method, self.generator.namespace, name, resource: "").file()
        }
        return methods + root.resources.flatMap { self.files($0, in: self.generator.namespace) }
    }

    static func typeName(_ resource: DiscoveryResource) -> String { SwiftName.type(resource.name) + "Resource" }

    /// The properties by which resources are reached.
    static func accessors(of resources: [DiscoveryResource], _ source: inout SourceText) {
        for resource in resources {
            let type = Self.typeName(resource)
            source.line()
            source.documentLine("The methods of `\(resource.name)`.")
            source.line(Emission.inClients)
            source.line(
                "public var \(SwiftName.declared(SwiftName.member(resource.name, of: .resource))): \(type) { \(type)(self.service) }"
            )
        }
    }

    private func files(_ resource: DiscoveryResource, in parent: String) -> [GeneratedFile] {
        let name = Self.typeName(resource)
        let path = "\(parent).\(name)"
        var source = self.generator.heading(importing: ["public import TesseraGoogleAPI"])
        source.block("extension \(parent) {") { source in
            source.documentLine("The methods of `\(resource.name)`.")
            source.block("public struct \(name): Sendable {") { source in
                source.line("@usableFromInline let service: APIService")
                source.line()
                source.line("@usableFromInline init(_ service: APIService) { self.service = service }")
                Self.accessors(of: resource.resources, &source)
            }
        }
        let place = path.split(separator: ".").dropFirst().joined(separator: ".")
        var files = [GeneratedFile(path: "Resources/\(place).swift", text: source.text)]
        var names = UniqueNames(Set(resource.resources.map(Self.typeName)))
        for method in resource.methods {
            let request = names.take(SwiftName.type(method.name), for: method.name)
            files.append(RequestWriter(self.generator, method, path, request, resource: resource.name).file())
        }
        return files + resource.resources.flatMap { self.files($0, in: path) }
    }
}

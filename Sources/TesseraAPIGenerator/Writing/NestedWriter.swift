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

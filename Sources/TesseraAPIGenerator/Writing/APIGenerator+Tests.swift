// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension APIGenerator {
    /// An attribute that lets the generated code use deprecated declarations without a warning.
    ///
    /// The tests call this code through a protocol.
    private static let deprecated = "@available(*, deprecated)"

    /// Returns code that copies every property of every object.
    func copies() -> String {
        let namespace = self.namespace
        var source = self.heading(importing: ["internal import \(self.module)"])
        source.documentLine("Copies every property of every object.")
        source.block("enum \(namespace)Copies: ObjectCopies {") { source in
            source.line(Self.deprecated)
            source.block("static var all: [CopiedObject] {") { source in
                source.line("var all: [CopiedObject] = []")
                for name in self.schemas {
                    guard let schema = self.document.schemas[name],
                        case .object(let properties) = schema.kind,
                        let swift = self.schemaNames[name]
                    else { continue }
                    self.copy("\(namespace).\(swift)", properties, &source)
                }
                source.line("return all")
            }
        }
        return source.text
    }

    private func copy(_ path: String, _ properties: [DiscoverySchema.Property], _ source: inout SourceText) {
        var scope = TypeScope(self, path)
        var names = UniqueNames()
        let members = properties.map { property in
            _ = scope.type(of: property.schema, named: property.name)
            return SwiftName.used(names.take(SwiftName.member(property.name, of: .object), for: property.name))
        }
        source.block("all.append(CopiedObject(\(path).self) { \(members.isEmpty ? "_" : "from") in", closing: "})") {
            source in
            source.line("\(members.isEmpty ? "let" : "var") to = \(path)()")
            for member in members { source.line("to.\(member) = from.\(member)") }
            source.line("return to")
        }
        for (name, type) in scope.nested {
            guard case .object(let properties, _) = type else { continue }
            self.copy("\(path).\(name)", properties, &source)
        }
    }

    /// Returns code that calls every method with all of its parameters.
    func calls() -> String {
        let namespace = self.namespace
        var source = self.heading(
            importing: Imports.of("[Data]") + ["internal import \(self.module)"]
        )
        source.documentLine("Calls every method with all its parameters.")
        source.block("enum \(namespace)Calls: MethodCalls {") { source in
            source.line(Self.deprecated)
            source.block("static func all(_ api: \(namespace)) -> [MadeCall] {") { source in
                source.line("var all: [MadeCall] = []")
                self.calls(self.root, "api", self.namespace, &source)
                source.line("return all")
            }
        }
        return source.text
            .replacing("public import FoundationEssentials", with: "internal import FoundationEssentials")
            .replacing("public import Foundation\n", with: "internal import Foundation\n")
            .replacing("public import TesseraGoogleAPI", with: "internal import TesseraGoogleAPI")
    }

    private func calls(
        _ resource: DiscoveryResource,
        _ location: String,
        _ parent: String,
        _ source: inout SourceText
    ) {
        for method in resource.methods {
            let writer = RequestWriter(
                self,
                method,
                parent,
                SwiftName.type(method.name),
                resource: resource.name
            )
            let optional = writer.parameters.filter { !$0.parameter.isRequired }
            var given = writer.body == nil ? [] : [".init()"]
            given += (writer.required + optional).map { "\($0.name): \(SampleValue.of($0.parameter, $0.type))" }
            let name = SwiftName.used(SwiftName.member(method.name, of: .resource))
            source.line("all.append(MadeCall(\(location).\(name)(\(given.joined(separator: ", ")))))")
        }
        for below in resource.resources {
            let member = SwiftName.used(SwiftName.member(below.name, of: .resource))
            self.calls(below, "\(location).\(member)", "\(parent).\(Self.resourceType(below))", &source)
        }
    }
}

/// Sample parameter values.
///
/// `Scripts/google-api-urls.py` uses the same rules.
enum SampleValue {
    static func of(_ parameter: DiscoveryMethod.Parameter, _ type: SwiftType) -> String {
        let value = Self.single(parameter.schema)
        return parameter.isRepeated ? "[\(value), \(value)]" : value
    }

    private static func single(_ schema: DiscoverySchema) -> String {
        switch schema.kind {
        case .enumeration(let values): return ".init(rawValue: \(SwiftLiteral.quoted(values.first?.text ?? "")))"
        case .scalar("boolean", _): return "true"
        case .scalar("integer", _): return "7"
        case .scalar("number", _): return "1.5"
        case .scalar("string", let format):
            switch format {
            case "int64", "uint64": return "12_345_678_901"
            case "byte": return "Data([1, 2])"
            case "google-datetime", "date-time": return "Timestamp(\"2026-11-23T10:00:00Z\")"
            case "date": return "CivilDate(\"2026-11-23\")"
            case "google-duration": return "ProtoDuration(\"3s\")"
            default: return SwiftLiteral.quoted(Self.text(schema.pattern))
            }
        default: return ".init()"
        }
    }

    /// Returns text that matches a pattern such as `^people/[^/]+$`, or any text if there is no pattern.
    private static func text(_ pattern: String?) -> String {
        guard let pattern else { return "a b/\u{FC}+" }
        return pattern.replacing("[^/]+", with: "x1").replacing(".*", with: "y").filter { $0 != "^" && $0 != "$" }
    }
}

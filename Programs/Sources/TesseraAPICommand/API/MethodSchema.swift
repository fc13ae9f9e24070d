// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator
internal import TesseraConsole
internal import TesseraJSON
internal import TesseraOAuth

/// The types of a method's parameters, request and response, from the API's discovery document.
struct MethodSchema {
    private let method: DiscoveryMethod
    private let document: DiscoveryDocument

    init(_ method: DiscoveryMethod, _ document: DiscoveryDocument) {
        self.method = method
        self.document = document
    }

    /// The schema as JSON, in which `schemas` has the types that `$ref` members name.
    var json: JSONNode {
        var members: [JSONMember] = [
            JSONMember(name: "method", value: .string(self.method.id)),
            JSONMember(name: "httpMethod", value: .string(self.method.httpMethod)),
            JSONMember(name: "path", value: .string(self.document.servicePath + self.method.path)),
            JSONMember(name: "scopes", value: .array(self.method.scopes.map { .string($0) })),
            JSONMember(name: "parameters", value: .object(self.method.parameters.map(Self.member))),
            JSONMember(name: "request", value: self.method.request.map { Self.node($0) } ?? .null),
            JSONMember(name: "response", value: self.method.response.map { Self.node($0) } ?? .null),
        ]
        let schemas = self.used.compactMap { name in
            self.document.schemas[name].map { JSONMember(name: name, value: Self.node($0)) }
        }
        members.append(JSONMember(name: "schemas", value: .object(schemas)))
        return .object(members)
    }

    /// The names of the schemas that the request and the response use, each before the ones that it uses itself.
    private var used: [String] {
        var names: [String] = []
        var waiting = [self.method.request, self.method.response].compactMap { $0 }.flatMap { Self.references(in: $0) }
        while !waiting.isEmpty {
            let name = waiting.removeFirst()
            guard !names.contains(name) else { continue }
            names.append(name)
            waiting += self.document.schemas[name].map { Self.references(in: $0) } ?? []
        }
        return names
    }

    private static func references(in schema: DiscoverySchema) -> [String] {
        switch schema.kind {
        case .reference(let name): [name]
        case .list(let element), .map(let element): Self.references(in: element)
        case .object(let properties): properties.flatMap { Self.references(in: $0.schema) }
        case .enumeration, .scalar: []
        }
    }

    private static func member(_ parameter: DiscoveryMethod.Parameter) -> JSONMember {
        var members = Self.node(parameter.schema).members ?? []
        members.append(JSONMember(name: "location", value: .string(parameter.isInPath ? "path" : "query")))
        members.append(JSONMember(name: "required", value: .bool(parameter.isRequired || parameter.isInPath)))
        members.append(JSONMember(name: "repeated", value: .bool(parameter.isRepeated)))
        return JSONMember(name: parameter.name, value: .object(members))
    }

    private static func node(_ schema: DiscoverySchema) -> JSONNode {
        var members: [JSONMember] = []
        func add(_ name: String, _ value: JSONNode) { members.append(JSONMember(name: name, value: value)) }
        switch schema.kind {
        case .reference(let name): add("$ref", .string(name))
        case .list(let element):
            add("type", "array")
            add("items", Self.node(element))
        case .map(let element):
            add("type", "object")
            add("additionalProperties", Self.node(element))
        case .object(let properties):
            add("type", "object")
            add(
                "properties",
                .object(properties.map { JSONMember(name: $0.name, value: Self.node($0.schema)) })
            )
        case .enumeration(let values):
            add("type", "string")
            add("enum", .array(values.map { .string($0.text) }))
        case .scalar(let type, let format):
            add("type", .string(type))
            if let format { add("format", .string(format)) }
        }
        let sentence = DiscoveryDocument.summary(of: schema.description)
        if !sentence.isEmpty { add("description", .string(sentence)) }
        if schema.isReadOnly { add("readOnly", true) }
        if schema.isDeprecated { add("deprecated", true) }
        return .object(members)
    }
}

extension MethodSchema {
    /// The schema for users, with a table for each type.
    var text: TerminalText {
        var sections: [TerminalText] = [
            "\(self.method.id)\n\(self.method.httpMethod) \(self.document.servicePath + self.method.path)"
        ]
        if !self.method.parameters.isEmpty {
            var table = FieldTable()
            for parameter in self.method.parameters {
                let isRequired = parameter.isRequired || parameter.isInPath
                let type = Self.type(of: parameter.schema) + (parameter.isRepeated ? "[]" : "")
                table.add(parameter.name, Self.lines(parameter.schema, type + (isRequired ? ", required" : "")))
            }
            sections.append("PARAMETERS:\n" + table.text)
        }
        sections.append("REQUEST: \(self.method.request.map { Self.type(of: $0) } ?? "none")")
        sections.append("RESPONSE: \(self.method.response.map { Self.type(of: $0) } ?? "none")")
        for name in self.used {
            guard let schema = self.document.schemas[name] else { continue }
            sections.append("\(name):\n" + self.table(of: schema))
        }
        return sections.joined(separator: "\n\n")
    }

    private func table(of schema: DiscoverySchema) -> TerminalText {
        guard case .object(let properties) = schema.kind else { return "  \(Self.type(of: schema))" }
        guard !properties.isEmpty else { return "  (no members)" }
        var table = FieldTable()
        Self.add(properties, "", to: &table)
        return table.text
    }

    /// Adds the members of an object and of the objects in it, which have no schema of their own.
    private static func add(_ properties: [DiscoverySchema.Property], _ prefix: String, to table: inout FieldTable) {
        for property in properties {
            let note = property.schema.isReadOnly ? ", read-only" : property.schema.isDeprecated ? ", deprecated" : ""
            let name = prefix + property.name
            table.add(name, Self.lines(property.schema, Self.type(of: property.schema) + note))
            switch property.schema.kind {
            case .object(let inner): Self.add(inner, name + ".", to: &table)
            case .list(let element):
                if case .object(let inner) = element.kind { Self.add(inner, name + "[].", to: &table) }
            default: break
            }
        }
    }

    private static func lines(_ schema: DiscoverySchema, _ type: String) -> [String] {
        let sentence = UntrustedText.printable(DiscoveryDocument.summary(of: schema.description), limit: 400)
        return [type] + (sentence.isEmpty ? [] : [sentence])
    }

    /// Returns a type such as `int64`, `File[]` or `a|b`.
    private static func type(of schema: DiscoverySchema) -> String {
        switch schema.kind {
        case .reference(let name): name
        case .list(let element): Self.type(of: element) + "[]"
        case .map(let element): "map of \(Self.type(of: element))"
        case .object: "object"
        case .enumeration(let values): values.filter { !$0.isDeprecated }.map(\.text).joined(separator: "|")
        case .scalar(let type, let format): format ?? type
        }
    }
}

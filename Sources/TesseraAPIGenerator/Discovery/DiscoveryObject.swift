// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// An object of a document, its place there, and its fields, each of which follows a rule.
struct DiscoveryObject {
    private let value: JSONValue
    /// Such as `schemas.Note.properties.title`; empty for the document.
    let path: String

    init(_ value: JSONValue, _ path: String) {
        self.value = value
        self.path = path
    }

    var names: [String] { self.value.members.map { $0.map(\.name) } ?? [] }

    /// The place of a member; its name is as it would be in a literal, since errors have it.
    func path(of name: String) -> String {
        let scalars = name.unicodeScalars
        let name = SwiftLiteral.escaped(String(scalars.prefix(256))) + (scalars.count > 256 ? "…" : "")
        return self.path.isEmpty ? name : self.path + "." + name
    }

    func string(_ name: String, _ rule: FieldRule) throws -> String? {
        guard let value = self.value[name] else { return nil }
        return try self.string(value, self.path(of: name), rule)
    }

    func require(_ name: String, _ rule: FieldRule) throws -> String {
        guard let text = try self.string(name, rule) else {
            throw GeneratorError(.document, at: self.path(of: name), "it is missing")
        }
        return text
    }

    func bool(_ name: String) throws -> Bool {
        guard let value = self.value[name] else { return false }
        guard let bool = value.bool else { throw Self.wrong(self.path(of: name), "true or false", value) }
        return bool
    }

    func strings(_ name: String, _ rule: FieldRule) throws -> [String] {
        try self.elements(name).enumerated()
            .map { try self.string($1, "\(self.path(of: name))[\($0)]", rule) }
    }

    func bools(_ name: String) throws -> [Bool] {
        try self.elements(name).enumerated()
            .map { place, element in
                if let bool = element.bool { return bool }
                throw Self.wrong("\(self.path(of: name))[\(place)]", "true or false", element)
            }
    }

    func object(_ name: String) throws -> DiscoveryObject? {
        guard let value = self.value[name] else { return nil }
        return try self.object(name, value)
    }

    /// The members of a member, in the order of their names, which follow a rule.
    func objects(_ name: String, _ rule: FieldRule) throws -> [(name: String, object: DiscoveryObject)] {
        guard let object = try self.object(name), let members = object.value.members else { return [] }
        return try members.sorted { $0.name < $1.name }
            .map { name, value in
                guard rule.accepts(name) else {
                    throw GeneratorError.invalid(object.path(of: name), rule, name, isName: true)
                }
                return (name, try object.object(name, value))
            }
    }

    private func object(_ name: String, _ value: JSONValue) throws -> DiscoveryObject {
        guard value.kind == .object else { throw Self.wrong(self.path(of: name), "an object", value) }
        return DiscoveryObject(value, self.path(of: name))
    }

    private func elements(_ name: String) throws -> [JSONValue] {
        guard let value = self.value[name] else { return [] }
        guard let elements = value.elements else { throw Self.wrong(self.path(of: name), "an array", value) }
        return Array(elements)
    }

    private func string(_ value: JSONValue, _ path: @autoclosure () -> String, _ rule: FieldRule) throws -> String {
        guard let text = value.string else { throw Self.wrong(path(), "a string", value) }
        guard rule.accepts(text) else { throw GeneratorError.invalid(path(), rule, text) }
        return text
    }

    private static func wrong(_ path: String, _ expectation: String, _ value: JSONValue) -> GeneratorError {
        GeneratorError(.invalid, at: path, "it must be \(expectation), but its kind is \(value.kind)")
    }
}

/// What discovery documents are known to have.
enum DiscoveryKeys {
    static let document: Set<String> = [
        "kind", "id", "name", "version", "title", "description", "documentationLink", "rootUrl", "servicePath",
        "batchPath", "features", "auth", "schemas", "resources", "methods", "revision", "canonicalName", "baseUrl",
        "basePath", "mtlsRootUrl", "endpoints", "parameters", "protocol", "ownerDomain", "ownerName", "icons",
        "discoveryVersion", "fullyEncodeReservedExpansion", "version_module", "etag", "packagePath", "labels",
        "serviceVersion",
    ]
    static let resource: Set<String> = ["methods", "resources", "deprecated"]
    static let method: Set<String> = [
        "id", "description", "httpMethod", "path", "flatPath", "parameters", "parameterOrder", "request", "response",
        "scopes", "supportsMediaDownload", "supportsMediaUpload", "mediaUpload", "useMediaDownloadService",
        "supportsSubscription", "apiVersion", "deprecated", "etagRequired",
    ]
    static let parameter: Set<String> = [
        "type", "format", "description", "location", "required", "repeated", "enum", "enumDescriptions",
        "enumDeprecated", "default", "pattern", "minimum", "maximum", "deprecated", "properties", "items",
        "additionalProperties", "$ref",
    ]
    static let schema: Set<String> = [
        "id", "type", "format", "description", "properties", "additionalProperties", "items", "$ref", "enum",
        "enumDescriptions", "enumDeprecated", "readOnly", "default", "deprecated", "pattern", "minimum", "maximum",
        "annotations", "parameterName",
    ]
}

/// Collects what a document has beyond that.
struct UnknownKeys {
    private(set) var found: [String] = []

    mutating func check(_ object: DiscoveryObject, _ known: Set<String>) {
        for name in object.names where !known.contains(name) {
            self.found.append(object.path(of: name))
        }
    }
}

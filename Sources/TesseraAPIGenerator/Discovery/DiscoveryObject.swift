// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// An object in a discovery document, whose members are validated when they are read.
struct DiscoveryObject {
    private let value: JSONValue
    /// The object's path, such as `schemas.Note.properties.title`, or an empty string for the document itself.
    let path: String

    init(_ value: JSONValue, _ path: String) {
        self.value = value
        self.path = path
    }

    var names: [String] { self.value.members.map { $0.map(\.name) } ?? [] }

    /// Returns a member's path for use in errors, with the name escaped as in a Swift literal.
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
            .map { location, element in
                if let bool = element.bool { return bool }
                throw Self.wrong("\(self.path(of: name))[\(location)]", "true or false", element)
            }
    }

    func object(_ name: String) throws -> DiscoveryObject? {
        guard let value = self.value[name] else { return nil }
        return try self.object(name, value)
    }

    /// Returns the objects in a member, sorted by name.
    ///
    /// The names must follow a rule.
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
        GeneratorError(.invalid, at: path, "it must be \(expectation), but it is of kind \(value.kind)")
    }
}

/// The members that discovery documents are known to have.
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

/// Collects the paths of unknown members.
struct UnknownKeys {
    private(set) var found: [String] = []

    mutating func check(_ object: DiscoveryObject, _ known: Set<String>) {
        for name in object.names where !known.contains(name) {
            self.found.append(object.path(of: name))
        }
    }
}

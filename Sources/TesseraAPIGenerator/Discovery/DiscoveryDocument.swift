// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// An API as its discovery document describes it.
///
/// - SeeAlso: [Discovery document](https://developers.google.com/discovery/v1/reference/apis)
public struct DiscoveryDocument: Sendable {
    /// Such as `drive`.
    public let name: String
    /// Such as `v3`.
    public let version: String
    /// Such as `Cloud Storage`, if it differs from the name.
    public let canonicalName: String?
    /// Such as `Google Drive API`.
    public let title: String
    /// The date of the document, such as `20260501`.
    public let revision: String
    /// Google's description.
    public let description: String
    /// The address of Google's documentation.
    public let documentationLink: String?
    /// Such as `https://www.googleapis.com/`.
    public let rootURL: String
    /// The path of the API below the root, such as `drive/v3/`.
    public let servicePath: String
    /// The path of batch requests below the root.
    public let batchPath: String
    /// Whether each response is in a member named `data`.
    public let isDataWrapped: Bool
    /// The API's scopes.
    public let scopes: [DiscoveryScope]
    /// The schemas by their names.
    public let schemas: [String: DiscoverySchema]
    /// The API's methods and resources.
    public let root: DiscoveryResource
    /// What the document has and nobody here knows.
    public let unknownKeys: [String]

    /// Reads a document.
    ///
    /// Every field that ends up in code follows a grammar; see ``GeneratorError/path`` for the one that does not.
    ///
    /// - Throws: ``GeneratorError`` `document` if the text is not a discovery document; `invalid` for a field that breaks
    ///   its rule.
    public init(parsing bytes: [UInt8]) throws {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: 64 << 20))
        } catch {
            throw GeneratorError(.document, "it is not JSON: \(error.explanation(of: bytes))")
        }
        var keys = UnknownKeys()
        let top = DiscoveryObject(value, "")
        keys.check(top, DiscoveryKeys.document)
        guard value["kind"]?.string == "discovery#restDescription" else {
            throw GeneratorError(.document, at: "kind", "it is not discovery#restDescription")
        }
        self.name = try top.require("name", .apiName)
        self.version = try top.require("version", .version)
        self.canonicalName = try top.string("canonicalName", .canonicalName)
        self.title = try top.string("title", .prose) ?? self.name
        self.revision = try top.string("revision", .revision) ?? ""
        self.description = try top.string("description", .prose) ?? ""
        self.documentationLink = try top.string("documentationLink", .link)
        self.rootURL = try top.require("rootUrl", .rootURL)
        // One document's service path is another than its base URL has.
        self.servicePath = try top.string("servicePath", .path) ?? ""
        self.batchPath = try top.string("batchPath", .path) ?? "batch"
        self.isDataWrapped = try top.strings("features", .word).contains("dataWrapper")
        self.scopes = try DiscoveryScope.all(in: top)
        self.schemas = try top.objects("schemas", .schemaName)
            .reduce(into: [:]) { $0[$1.name] = try DiscoverySchema($1.object, &keys) }
        self.root = try DiscoveryResource("", top, &keys)
        self.unknownKeys = keys.found
    }

    /// Returns the first sentence of one of Google's descriptions, on one line.
    public static func summary(of description: String) -> String {
        Prose(documentation: .short).text(description)
    }
}

/// A scope of an API.
public struct DiscoveryScope: Sendable {
    /// The scope.
    public let url: String
    /// Google's description.
    public let description: String

    fileprivate static func all(in document: DiscoveryObject) throws -> [DiscoveryScope] {
        try (document.object("auth")?.object("oauth2")?.objects("scopes", .scope) ?? [])
            .map { DiscoveryScope(url: $0.name, description: try $0.object.string("description", .prose) ?? "") }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// A description of an API in the format of Google's API Discovery Service.
///
/// - SeeAlso: [Discovery document](https://developers.google.com/discovery/v1/reference/apis)
public struct DiscoveryDocument: Sendable {
    /// The name of the API, such as `drive`.
    public let name: String
    /// The version of the API, such as `v3`.
    public let version: String
    /// The canonical name, such as `Cloud Storage`, if it differs from the name.
    public let canonicalName: String?
    /// The title of the API, such as `Google Drive API`.
    public let title: String
    /// The document's revision date, such as `20260501`.
    public let revision: String
    /// Google's description of the API.
    public let description: String
    /// The URL of Google's documentation.
    public let documentationLink: String?
    /// The root URL, such as `https://www.googleapis.com/`.
    public let rootURL: String
    /// The API's path relative to the root URL, such as `drive/v3/`.
    public let servicePath: String
    /// The path for batch requests relative to the root URL.
    public let batchPath: String
    /// Whether responses are wrapped in a `data` member.
    public let isDataWrapped: Bool
    /// The OAuth scopes of the API.
    public let scopes: [DiscoveryScope]
    /// The schemas, keyed by name.
    public let schemas: [String: DiscoverySchema]
    /// The methods and resources of the API.
    public let root: DiscoveryResource
    /// The paths of members that this version of the library does not know.
    public let unknownKeys: [String]

    /// Parses a discovery document.
    ///
    /// Each field that is used in code is validated. ``GeneratorError/path`` identifies the invalid field.
    ///
    /// - Throws: ``GeneratorError`` with the code `document` if the text is not a discovery document, or `invalid` if a
    ///   field violates its rule.
    public init(parsing bytes: [UInt8]) throws {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: 64 << 20))
        } catch {
            throw GeneratorError(.document, "it is not valid JSON: \(error.explanation(of: bytes))")
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
        // Use `servicePath`, because in one of Google's documents it differs from the path of `baseUrl`.
        self.servicePath = try top.string("servicePath", .path) ?? ""
        self.batchPath = try top.string("batchPath", .path) ?? "batch"
        self.isDataWrapped = try top.strings("features", .word).contains("dataWrapper")
        self.scopes = try DiscoveryScope.all(in: top)
        self.schemas = try top.objects("schemas", .schemaName)
            .reduce(into: [:]) { $0[$1.name] = try DiscoverySchema($1.object, &keys) }
        self.root = try DiscoveryResource("", top, &keys)
        self.unknownKeys = keys.found
    }

    /// Returns the first sentence of one of Google's descriptions on a single line.
    public static func summary(of description: String) -> String {
        Prose(documentation: .short).text(description)
    }
}

/// An OAuth scope of an API.
public struct DiscoveryScope: Sendable {
    /// The value of the scope, usually a URL.
    public let url: String
    /// Google's description of the scope.
    public let description: String

    fileprivate static func all(in document: DiscoveryObject) throws -> [DiscoveryScope] {
        try (document.object("auth")?.object("oauth2")?.objects("scopes", .scope) ?? [])
            .map { DiscoveryScope(url: $0.name, description: try $0.object.string("description", .prose) ?? "") }
    }
}

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
    package let canonicalName: String?
    package let title: String
    package let revision: String
    package let description: String
    package let documentationLink: String?
    package let rootURL: String
    package let servicePath: String
    package let batchPath: String
    package let isDataWrapped: Bool
    package let scopes: [DiscoveryScope]
    package let schemas: [String: DiscoverySchema]
    /// The methods at the top and the resources below it.
    package let root: DiscoveryResource
    /// What the document has and nobody here knows.
    public let unknownKeys: [String]

    /// Reads a document.
    ///
    /// - Throws: ``GeneratorError`` `document` for what is no discovery document.
    public init(parsing bytes: [UInt8]) throws(GeneratorError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: 64 << 20))
        } catch {
            throw GeneratorError(.document, "no JSON: \(error)")
        }
        var keys = UnknownKeys()
        let top = DiscoveryObject(value, "")
        keys.check(top, DiscoveryKeys.document)
        guard top.string("kind") == "discovery#restDescription" else {
            throw GeneratorError(.document, "its kind is not discovery#restDescription")
        }
        self.name = try top.require("name")
        self.version = try top.require("version")
        self.canonicalName = top.string("canonicalName")
        self.title = top.string("title") ?? self.name
        self.revision = top.string("revision") ?? ""
        self.description = top.string("description") ?? ""
        self.documentationLink = top.string("documentationLink")
        self.rootURL = try top.require("rootUrl")
        // One document's service path is another than its base URL has.
        self.servicePath = top.string("servicePath") ?? ""
        self.batchPath = top.string("batchPath") ?? "batch"
        self.isDataWrapped = top.strings("features").contains("dataWrapper")
        self.scopes =
            top.object("auth")?.object("oauth2")?.objects("scopes")
            .map {
                DiscoveryScope(url: $0.name, description: $0.object.string("description") ?? "")
            } ?? []
        var schemas: [String: DiscoverySchema] = [:]
        for (name, object) in top.objects("schemas") { schemas[name] = try DiscoverySchema(object, &keys) }
        self.schemas = schemas
        self.root = try DiscoveryResource("", top, &keys)
        self.unknownKeys = keys.found
    }
}

/// A scope of an API.
package struct DiscoveryScope: Sendable {
    package let url: String
    package let description: String
}

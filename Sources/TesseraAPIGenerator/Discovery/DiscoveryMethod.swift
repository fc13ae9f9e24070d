// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A method of an API.
package struct DiscoveryMethod: Sendable {
    /// A parameter of the path or the query.
    package struct Parameter: Sendable {
        package let name: String
        package let schema: DiscoverySchema
        package let isInPath: Bool
        package let isRequired: Bool
        package let isRepeated: Bool
        package let defaultValue: String?
    }

    package let name: String
    package let id: String
    package let description: String
    package let httpMethod: String
    package let path: String
    /// Required ones first, in the order in which people name them.
    package let parameters: [Parameter]
    package let request: DiscoverySchema?
    package let response: DiscoverySchema?
    package let scopes: [String]
    package let apiVersion: String?
    package let isDeprecated: Bool
    package let hasMediaDownload: Bool
    /// The path of uploads, and whether they can be resumed.
    package let upload: (path: String, isResumable: Bool)?

    init(_ name: String, _ object: DiscoveryObject, _ keys: inout UnknownKeys) throws(GeneratorError) {
        keys.check(object, DiscoveryKeys.method)
        self.name = name
        self.id = try object.require("id", .methodID)
        self.description = try object.string("description", .prose) ?? ""
        self.httpMethod = try object.require("httpMethod", .httpMethod)
        self.path = try object.require("path", .template)
        self.scopes = try object.strings("scopes", .scope)
        self.apiVersion = try object.string("apiVersion", .word)
        self.isDeprecated = try object.bool("deprecated")
        self.hasMediaDownload = try object.bool("supportsMediaDownload")
        self.request = try object.object("request")
            .map { value throws(GeneratorError) in
                try DiscoverySchema(value, &keys)
            }
        self.response = try object.object("response")
            .map { value throws(GeneratorError) in
                try DiscoverySchema(value, &keys)
            }
        let protocols = try object.object("mediaUpload")?.object("protocols")
        let isResumable = try protocols?.object("resumable") != nil
        self.upload = try protocols?.object("simple")?.string("path", .template)
            .map { (String($0.drop { $0 == "/" }), isResumable) }
        var parameters: [Parameter] = []
        for (name, parameter) in try object.objects("parameters", .memberName) {
            let schema = try DiscoverySchema(parameter, &keys, known: DiscoveryKeys.parameter)
            // An object has no form in a query; nobody can send one.
            if case .object = schema.kind { continue }
            parameters.append(
                Parameter(
                    name: name,
                    schema: schema,
                    isInPath: try parameter.string("location", .location) == "path",
                    isRequired: try parameter.bool("required"),
                    isRepeated: try parameter.bool("repeated"),
                    defaultValue: try parameter.string("default", .defaultValue)
                )
            )
        }
        let order = try object.strings("parameterOrder", .memberName)
        func place(_ parameter: Parameter) -> Int {
            order.firstIndex(of: parameter.name) ?? (parameter.isRequired ? order.count : order.count + 1)
        }
        self.parameters = parameters.sorted { (place($0), $0.name) < (place($1), $1.name) }
    }
}

extension DiscoveryMethod {
    /// What asks for a page of a list: a parameter, or a member of the body.
    package struct PageToken: Sendable {
        package let name: String
        package let isInBody: Bool
    }

    private static let pageTokens = ["pageToken", "nextPageToken", "page_token"]

    /// What asks for a page, where the answer names a next one and something can ask for it.
    package func pageToken(in document: DiscoveryDocument) -> PageToken? {
        guard document.properties(of: self.response).contains(where: { $0.name == "nextPageToken" }) else { return nil }
        if let parameter = self.parameters.first(where: { Self.pageTokens.contains($0.name) }) {
            return PageToken(name: parameter.name, isInBody: false)
        }
        let member = document.properties(of: self.request).first { Self.pageTokens.contains($0.name) }
        return member.map { PageToken(name: $0.name, isInBody: true) }
    }
}

extension DiscoveryDocument {
    /// The properties of the object that a schema names; none for anything else.
    func properties(of schema: DiscoverySchema?) -> [DiscoverySchema.Property] {
        guard case .reference(let name)? = schema?.kind, case .object(let properties)? = self.schemas[name]?.kind else {
            return []
        }
        return properties
    }
}

/// Methods that belong together, and what is below them.
package struct DiscoveryResource: Sendable {
    package let name: String
    package var methods: [DiscoveryMethod]
    package var resources: [DiscoveryResource]

    init(_ name: String, _ object: DiscoveryObject, _ keys: inout UnknownKeys) throws(GeneratorError) {
        self.name = name
        if !name.isEmpty { keys.check(object, DiscoveryKeys.resource) }
        var methods: [DiscoveryMethod] = []
        for (name, method) in try object.objects("methods", .name) {
            methods.append(try DiscoveryMethod(name, method, &keys))
        }
        self.methods = methods
        var resources: [DiscoveryResource] = []
        for (name, resource) in try object.objects("resources", .name) {
            resources.append(try DiscoveryResource(name, resource, &keys))
        }
        self.resources = resources
    }

    /// Every method here and below.
    package var allMethods: [DiscoveryMethod] { self.methods + self.resources.flatMap(\.allMethods) }

    /// What is left when only some methods stay; nil for nothing.
    func pruned(to isKept: (DiscoveryMethod) -> Bool) -> DiscoveryResource? {
        var resource = self
        resource.methods = self.methods.filter(isKept)
        resource.resources = self.resources.compactMap { $0.pruned(to: isKept) }
        return resource.methods.isEmpty && resource.resources.isEmpty ? nil : resource
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A method of an API.
public struct DiscoveryMethod: Sendable {
    /// A path or query parameter.
    public struct Parameter: Sendable {
        /// The parameter's name, such as `pageSize`.
        public let name: String
        /// The parameter's type and description.
        public let schema: DiscoverySchema
        /// Whether the parameter is part of the path rather than the query.
        public let isInPath: Bool
        /// Whether the parameter is required.
        public let isRequired: Bool
        /// Whether the parameter can have several values.
        public let isRepeated: Bool
        /// The default value, as written in the document.
        public let defaultValue: String?
    }

    /// The method's name, such as `list`.
    public let name: String
    /// The method's identifier, such as `drive.files.list`.
    public let id: String
    /// Google's description of the method.
    public let description: String
    /// The HTTP method, such as `GET`.
    public let httpMethod: String
    /// The URI template of the path, relative to the API's service path.
    public let path: String
    /// The path and query parameters, beginning with the required ones.
    public let parameters: [Parameter]
    /// The schema of the request body, or nil if the method takes none.
    public let request: DiscoverySchema?
    /// The schema of the response, or nil if it is empty.
    public let response: DiscoverySchema?
    /// The scopes, any one of which permits the call.
    public let scopes: [String]
    /// The version that is sent as `X-Goog-Api-Version`.
    public let apiVersion: String?
    /// Whether the method is deprecated.
    public let isDeprecated: Bool
    /// Whether the response can be the contents of a file.
    public let hasMediaDownload: Bool
    /// The path for uploads and whether uploads are resumable, or nil if the method does not support uploads.
    public let upload: (path: String, isResumable: Bool)?

    init(_ name: String, _ object: DiscoveryObject, _ keys: inout UnknownKeys) throws {
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
        self.request = try object.object("request").map { try DiscoverySchema($0, &keys) }
        self.response = try object.object("response").map { try DiscoverySchema($0, &keys) }
        let protocols = try object.object("mediaUpload")?.object("protocols")
        let isResumable = try protocols?.object("resumable") != nil
        self.upload = try protocols?.object("simple")?.string("path", .template)
            .map { (String($0.drop { $0 == "/" }), isResumable) }
        let parameters: [Parameter] = try object.objects("parameters", .memberName)
            .compactMap { name, parameter in
                let schema = try DiscoverySchema(parameter, &keys, known: DiscoveryKeys.parameter)
                // A query cannot represent objects.
                if case .object = schema.kind { return nil }
                return Parameter(
                    name: name,
                    schema: schema,
                    isInPath: try parameter.string("location", .location) == "path",
                    isRequired: try parameter.bool("required"),
                    isRepeated: try parameter.bool("repeated"),
                    defaultValue: try parameter.string("default", .defaultValue)
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
    /// The parameter or body member that requests a page of a list.
    public struct PageToken: Sendable {
        /// The name of the parameter or member.
        public let name: String
        /// Whether the token is a member of the body.
        public let isInBody: Bool
    }

    private static let pageTokens = ["pageToken", "nextPageToken", "page_token"]

    /// Returns the token that requests a page, or nil if the response is not paged.
    public func pageToken(in document: DiscoveryDocument) -> PageToken? {
        guard document.properties(of: self.response).contains(where: { $0.name == "nextPageToken" }) else { return nil }
        if let parameter = self.parameters.first(where: { Self.pageTokens.contains($0.name) }) {
            return PageToken(name: parameter.name, isInBody: false)
        }
        let member = document.properties(of: self.request).first { Self.pageTokens.contains($0.name) }
        return member.map { PageToken(name: $0.name, isInBody: true) }
    }
}

extension DiscoveryDocument {
    /// Returns the properties of the object that a schema references, or an empty array.
    func properties(of schema: DiscoverySchema?) -> [DiscoverySchema.Property] {
        guard case .reference(let name)? = schema?.kind, case .object(let properties)? = self.schemas[name]?.kind else {
            return []
        }
        return properties
    }
}

/// A group of methods, which can contain other groups.
public struct DiscoveryResource: Sendable {
    /// The resource's name, such as `files`.
    public let name: String
    /// The methods of the resource.
    public internal(set) var methods: [DiscoveryMethod]
    /// The nested resources.
    public internal(set) var resources: [DiscoveryResource]

    init(_ name: String, _ object: DiscoveryObject, _ keys: inout UnknownKeys) throws {
        self.name = name
        if !name.isEmpty { keys.check(object, DiscoveryKeys.resource) }
        self.methods = try object.objects("methods", .name).map { try DiscoveryMethod($0, $1, &keys) }
        self.resources = try object.objects("resources", .name).map { try DiscoveryResource($0, $1, &keys) }
    }

    /// The methods of this resource and of its nested resources.
    public var allMethods: [DiscoveryMethod] { self.methods + self.resources.flatMap(\.allMethods) }

    /// Returns the resource with only the methods for which the closure returns true, or nil if none remain.
    func pruned(to isKept: (DiscoveryMethod) -> Bool) -> DiscoveryResource? {
        var resource = self
        resource.methods = self.methods.filter(isKept)
        resource.resources = self.resources.compactMap { $0.pruned(to: isKept) }
        return resource.methods.isEmpty && resource.resources.isEmpty ? nil : resource
    }
}

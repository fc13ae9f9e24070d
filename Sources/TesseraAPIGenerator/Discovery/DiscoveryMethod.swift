// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A method of an API.
public struct DiscoveryMethod: Sendable {
    /// A parameter of the path or the query.
    public struct Parameter: Sendable {
        /// Such as `pageSize`.
        public let name: String
        /// The parameter's type and description.
        public let schema: DiscoverySchema
        /// Whether the parameter is part of the path; otherwise it is part of the query.
        public let isInPath: Bool
        /// Whether a call needs it.
        public let isRequired: Bool
        /// Whether it takes several values.
        public let isRepeated: Bool
        /// The API's default, as the document writes it.
        public let defaultValue: String?
    }

    /// Such as `list`.
    public let name: String
    /// Such as `drive.files.list`.
    public let id: String
    /// Google's description.
    public let description: String
    /// Such as `GET`.
    public let httpMethod: String
    /// A URI template below the API's service path.
    public let path: String
    /// The parameters of the path and the query, required ones first.
    public let parameters: [Parameter]
    /// The schema of the body; nil if the method has none.
    public let request: DiscoverySchema?
    /// The schema of the response; nil if it is empty.
    public let response: DiscoverySchema?
    /// The scopes, any one of which permits the call.
    public let scopes: [String]
    /// The version that `X-Goog-Api-Version` names.
    public let apiVersion: String?
    /// Whether the API deprecates the method.
    public let isDeprecated: Bool
    /// Whether the response can be a file's contents.
    public let hasMediaDownload: Bool
    /// The path of uploads, and whether they can be resumed; nil if the method takes no file.
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
                // An object has no form in a query, so it cannot be sent.
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
    /// The parameter, or the member of the body, that requests a page of a list.
    public struct PageToken: Sendable {
        /// The name of the parameter or the member.
        public let name: String
        /// Whether it is a member of the body.
        public let isInBody: Bool
    }

    private static let pageTokens = ["pageToken", "nextPageToken", "page_token"]

    /// Returns how a page of the list is requested; nil if the response has no pages.
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
    /// The properties of the object that a schema names; none for anything else.
    func properties(of schema: DiscoverySchema?) -> [DiscoverySchema.Property] {
        guard case .reference(let name)? = schema?.kind, case .object(let properties)? = self.schemas[name]?.kind else {
            return []
        }
        return properties
    }
}

/// A group of methods, and the groups below it.
public struct DiscoveryResource: Sendable {
    /// Such as `files`.
    public let name: String
    /// The methods of the resource itself.
    public internal(set) var methods: [DiscoveryMethod]
    /// The resources below it.
    public internal(set) var resources: [DiscoveryResource]

    init(_ name: String, _ object: DiscoveryObject, _ keys: inout UnknownKeys) throws {
        self.name = name
        if !name.isEmpty { keys.check(object, DiscoveryKeys.resource) }
        self.methods = try object.objects("methods", .name).map { try DiscoveryMethod($0, $1, &keys) }
        self.resources = try object.objects("resources", .name).map { try DiscoveryResource($0, $1, &keys) }
    }

    /// The methods of this resource and of those below it.
    public var allMethods: [DiscoveryMethod] { self.methods + self.resources.flatMap(\.allMethods) }

    /// What is left when only some methods stay; nil for nothing.
    func pruned(to isKept: (DiscoveryMethod) -> Bool) -> DiscoveryResource? {
        var resource = self
        resource.methods = self.methods.filter(isKept)
        resource.resources = self.resources.compactMap { $0.pruned(to: isKept) }
        return resource.methods.isEmpty && resource.resources.isEmpty ? nil : resource
    }
}

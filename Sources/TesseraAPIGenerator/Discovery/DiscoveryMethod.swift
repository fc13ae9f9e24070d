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

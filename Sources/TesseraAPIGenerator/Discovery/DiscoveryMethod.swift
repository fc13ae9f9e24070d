// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A method of an API.
struct DiscoveryMethod: Sendable {
    /// A parameter of the path or the query.
    struct Parameter: Sendable {
        let name: String
        let schema: DiscoverySchema
        let isInPath: Bool
        let isRequired: Bool
        let isRepeated: Bool
        let defaultValue: String?
    }

    let name: String
    let id: String
    let description: String
    let httpMethod: String
    let path: String
    /// Required ones first, in the order in which people name them.
    let parameters: [Parameter]
    let request: DiscoverySchema?
    let response: DiscoverySchema?
    let scopes: [String]
    let apiVersion: String?
    let isDeprecated: Bool
    let hasMediaDownload: Bool
    /// The path of uploads, and whether they can be resumed.
    let upload: (path: String, isResumable: Bool)?

    init(_ name: String, _ object: DiscoveryObject, _ keys: inout UnknownKeys) throws(GeneratorError) {
        keys.check(object, DiscoveryKeys.method)
        self.name = name
        self.id = try object.require("id")
        self.description = object.string("description") ?? ""
        self.httpMethod = try object.require("httpMethod")
        self.path = try object.require("path")
        self.scopes = object.strings("scopes")
        self.apiVersion = object.string("apiVersion")
        self.isDeprecated = object.bool("deprecated")
        self.hasMediaDownload = object.bool("supportsMediaDownload")
        self.request = try object.object("request")
            .map { value throws(GeneratorError) in
                try DiscoverySchema(value, &keys)
            }
        self.response = try object.object("response")
            .map { value throws(GeneratorError) in
                try DiscoverySchema(value, &keys)
            }
        let protocols = object.object("mediaUpload")?.object("protocols")
        self.upload = protocols?.object("simple")?.string("path")
            .map { path in
                (String(path.drop { $0 == "/" }), protocols?.object("resumable") != nil)
            }
        var parameters: [Parameter] = []
        for (name, parameter) in object.objects("parameters") {
            let schema = try DiscoverySchema(parameter, &keys, known: DiscoveryKeys.parameter)
            // An object has no form in a query; nobody can send one.
            if case .object = schema.kind { continue }
            parameters.append(
                Parameter(
                    name: name,
                    schema: schema,
                    isInPath: parameter.string("location") == "path",
                    isRequired: parameter.bool("required"),
                    isRepeated: parameter.bool("repeated"),
                    defaultValue: parameter.string("default")
                )
            )
        }
        let order = object.strings("parameterOrder")
        func place(_ parameter: Parameter) -> Int {
            order.firstIndex(of: parameter.name) ?? (parameter.isRequired ? order.count : order.count + 1)
        }
        self.parameters = parameters.sorted { (place($0), $0.name) < (place($1), $1.name) }
    }
}

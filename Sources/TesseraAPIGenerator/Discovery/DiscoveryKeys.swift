// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension APIGenerator {
    /// Returns a file that contains the API's client, endpoint and resources.
    func clientFile() -> GeneratedFile {
        let (document, namespace) = (self.document, self.namespace)
        var source = self.heading(importing: ["@_exported public import TesseraGoogleAPI"])
        source.document([
            "The \(document.title), version `\(document.version)`.",
            self.prose.text(document.description),
        ])
        if let link = document.documentationLink {
            source.documentList(nil, ["SeeAlso: [\(document.title)](\(link))"], isWrapped: false)
        }
        source.block("public struct \(namespace): APIClient {") { source in
            source.documentLine("The endpoint of the API.")
            source.block("public static let endpoint = APIEndpoint(", closing: ")") { source in
                source.line("name: \(SwiftLiteral.quoted(document.name)),")
                source.line("version: \(SwiftLiteral.quoted(document.version)),")
                source.line("rootURL: \(SwiftLiteral.quoted(document.rootURL)),")
                source.line("servicePath: \(SwiftLiteral.quoted(document.servicePath)),")
                var last = ["batchPath: \(SwiftLiteral.quoted(document.batchPath))"]
                if let limit = Self.batchLimit(document) { last.append("batchLimit: \(limit)") }
                if document.isDataWrapped { last.append("isDataWrapped: true") }
                for (location, line) in last.enumerated() { source.line(line + (location < last.count - 1 ? "," : "")) }
            }
            source.declare("The service that sends the calls.", "public let service: APIService", isFirst: true)
            source.declare(
                "Creates a client of a service.",
                "public init(_ service: APIService) { self.service = service }"
            )
            Self.accessors(of: self.root.resources, &source)
        }
        return GeneratedFile(path: "\(namespace).swift", text: source.text)
    }

    /// Returns the maximum number of calls in a batch request, or nil for the default of 100.
    private static func batchLimit(_ document: DiscoveryDocument) -> Int? {
        // https://developers.google.com/workspace/calendar/api/guides/batch
        document.name == "calendar" ? 1_000 : nil
    }

    // MARK: Scopes

    func scopeFiles() -> [GeneratedFile] {
        let scopes = self.document.scopes
        guard !scopes.isEmpty else { return [] }
        var source = self.heading(importing: ["public import TesseraOAuth"])
        var names = UniqueNames()
        source.block("extension \(self.namespace) {") { source in
            source.documentLine("The OAuth scopes of the API.")
            source.block("public enum Scope {") { source in
                for (location, scope) in scopes.enumerated() {
                    if location > 0 { source.line() }
                    let name = names.take(Self.scopeName(of: scope.url), for: scope.url)
                    source.document([scope.description.withFullStop, "`\(scope.url)`"])
                    source.line(Emission.inClients)
                    source.line(
                        "public static var \(SwiftName.declared(name)): TesseraOAuth.Scope { \(SwiftLiteral.quoted(scope.url)) }"
                    )
                }
            }
        }
        return [GeneratedFile(path: "\(self.namespace).Scope.swift", text: source.text)]
    }

    /// Converts `https://www.googleapis.com/auth/drive.readonly` to `driveReadonly`.
    private static func scopeName(of url: String) -> String {
        let text =
            url.split(separator: "/auth/", maxSplits: 1).count == 2
            ? url.split(separator: "/auth/", maxSplits: 1)[1] : url[...]
        let short = text.hasPrefix("https://") ? text.dropFirst("https://".count) : text
        return SwiftName.member(String(short), of: .resource)
    }

    // MARK: Resources and their methods

    func resourceFiles() -> [GeneratedFile] {
        let root = self.root
        // The client's own methods are declared next to the schemas, so their names must differ.
        var names = UniqueNames(Set(self.schemaNames.values))
        let methods = root.methods.map { method in
            let name = names.take(SwiftName.type(method.name) + "Request", for: method.name)
            return RequestWriter(self, method, self.namespace, name, resource: "").file()
        }
        return methods + root.resources.flatMap { self.files($0, in: self.namespace) }
    }

    static func resourceType(_ resource: DiscoveryResource) -> String { SwiftName.type(resource.name) + "Resource" }

    /// Writes the properties that provide access to resources.
    private static func accessors(of resources: [DiscoveryResource], _ source: inout SourceText) {
        for resource in resources {
            let type = Self.resourceType(resource)
            source.declare(
                "The methods of the `\(resource.name)` resource.",
                Emission.inClients,
                "public var \(SwiftName.declared(SwiftName.member(resource.name, of: .resource))): \(type) { \(type)(self.service) }"
            )
        }
    }

    private func files(_ resource: DiscoveryResource, in parent: String) -> [GeneratedFile] {
        let name = Self.resourceType(resource)
        let path = "\(parent).\(name)"
        var source = self.heading(importing: ["public import TesseraGoogleAPI"])
        source.block("extension \(parent) {") { source in
            source.documentLine("The methods of the `\(resource.name)` resource.")
            source.block("public struct \(name): Sendable {") { source in
                source.line("@usableFromInline let service: APIService")
                source.line()
                source.line("@usableFromInline init(_ service: APIService) { self.service = service }")
                Self.accessors(of: resource.resources, &source)
            }
        }
        let location = path.split(separator: ".").dropFirst().joined(separator: ".")
        var files = [GeneratedFile(path: "Resources/\(location).swift", text: source.text)]
        var names = UniqueNames(Set(resource.resources.map(Self.resourceType)))
        for method in resource.methods {
            let request = names.take(SwiftName.type(method.name), for: method.name)
            files.append(RequestWriter(self, method, path, request, resource: resource.name).file())
        }
        return files + resource.resources.flatMap { self.files($0, in: path) }
    }
}

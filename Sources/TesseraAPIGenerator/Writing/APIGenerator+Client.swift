// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension APIGenerator {
    /// The client of the API: where it is, and its resources.
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
            source.documentLine("Where the API is.")
            source.block("public static let endpoint = APIEndpoint(", closing: ")") { source in
                source.line("name: \(SwiftLiteral.quoted(document.name)),")
                source.line("version: \(SwiftLiteral.quoted(document.version)),")
                source.line("rootURL: \(SwiftLiteral.quoted(document.rootURL)),")
                source.line("servicePath: \(SwiftLiteral.quoted(document.servicePath)),")
                var last = ["batchPath: \(SwiftLiteral.quoted(document.batchPath))"]
                if let limit = Self.batchLimit(document) { last.append("batchLimit: \(limit)") }
                if document.isDataWrapped { last.append("isDataWrapped: true") }
                for (place, line) in last.enumerated() { source.line(line + (place < last.count - 1 ? "," : "")) }
            }
            source.declare("Who calls it, and how.", "public let service: APIService", isFirst: true)
            source.declare("A client of a service.", "public init(_ service: APIService) { self.service = service }")
            Self.accessors(of: self.root.resources, &source)
        }
        return GeneratedFile(path: "\(namespace).swift", text: source.text)
    }

    /// How many calls a batch may have, where it is not a hundred.
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
            source.documentLine("What a person can permit at this API.")
            source.block("public enum Scope {") { source in
                for (place, scope) in scopes.enumerated() {
                    if place > 0 { source.line() }
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

    /// `https://www.googleapis.com/auth/drive.readonly` becomes `driveReadonly`.
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
        // A client's own methods stand beside the schemas, and must not have their names.
        var names = UniqueNames(Set(self.schemaNames.values))
        let methods = root.methods.map { method in
            let name = names.take(SwiftName.type(method.name) + "Request", for: method.name)
            return RequestWriter(self, method, self.namespace, name, resource: "").file()
        }
        return methods + root.resources.flatMap { self.files($0, in: self.namespace) }
    }

    static func resourceType(_ resource: DiscoveryResource) -> String { SwiftName.type(resource.name) + "Resource" }

    /// The properties by which resources are reached.
    private static func accessors(of resources: [DiscoveryResource], _ source: inout SourceText) {
        for resource in resources {
            let type = Self.resourceType(resource)
            source.declare(
                "The methods of `\(resource.name)`.",
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
            source.documentLine("The methods of `\(resource.name)`.")
            source.block("public struct \(name): Sendable {") { source in
                source.line("@usableFromInline let service: APIService")
                source.line()
                source.line("@usableFromInline init(_ service: APIService) { self.service = service }")
                Self.accessors(of: resource.resources, &source)
            }
        }
        let place = path.split(separator: ".").dropFirst().joined(separator: ".")
        var files = [GeneratedFile(path: "Resources/\(place).swift", text: source.text)]
        var names = UniqueNames(Set(resource.resources.map(Self.resourceType)))
        for method in resource.methods {
            let request = names.take(SwiftName.type(method.name), for: method.name)
            files.append(RequestWriter(self, method, path, request, resource: resource.name).file())
        }
        return files + resource.resources.flatMap { self.files($0, in: path) }
    }
}

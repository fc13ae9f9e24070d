// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Writes the client of an API: where it is, and its resources.
struct ClientWriter {
    private let generator: APIGenerator

    init(_ generator: APIGenerator) { self.generator = generator }

    func file() -> GeneratedFile {
        let (document, namespace) = (self.generator.document, self.generator.namespace)
        var source = self.generator.heading(importing: ["@_exported public import TesseraGoogleAPI"])
        source.document([
            "The \(document.title), version `\(document.version)`.",
            self.generator.prose.text(document.description),
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
            source.documentLine("Who calls it, and how.")
            source.line("public let service: APIService")
            source.line()
            source.documentLine("A client of a service.")
            source.line("public init(_ service: APIService) { self.service = service }")
            ResourceWriter.accessors(of: self.generator.root.resources, &source)
        }
        return GeneratedFile(path: "\(namespace).swift", text: source.text)
    }

    /// How many calls a batch may have, where it is not a hundred.
    private static func batchLimit(_ document: DiscoveryDocument) -> Int? {
        // https://developers.google.com/workspace/calendar/api/guides/batch
        document.name == "calendar" ? 1_000 : nil
    }
}

/// Writes the scopes of an API.
struct ScopeWriter {
    private let generator: APIGenerator

    init(_ generator: APIGenerator) { self.generator = generator }

    func files() -> [GeneratedFile] {
        let scopes = self.generator.document.scopes
        guard !scopes.isEmpty else { return [] }
        var source = self.generator.heading(importing: ["public import TesseraOAuth"])
        var names = UniqueNames()
        source.block("extension \(self.generator.namespace) {") { source in
            source.documentLine("What a person can permit at this API.")
            source.block("public enum Scope {") { source in
                for (place, scope) in scopes.enumerated() {
                    if place > 0 { source.line() }
                    let name = names.take(Self.name(of: scope.url), for: scope.url)
                    source.document([
                        scope.description.isEmpty ? "`\(scope.url)`" : scope.description.withFullStop,
                        scope.description.isEmpty ? "" : "`\(scope.url)`",
                    ])
                    source.line(Emission.inClients)
                    source.line(
                        "public static var \(SwiftName.declared(name)): TesseraOAuth.Scope { \(SwiftLiteral.quoted(scope.url)) }"
                    )
                }
            }
        }
        return [GeneratedFile(path: "\(self.generator.namespace).Scope.swift", text: source.text)]
    }

    /// `https://www.googleapis.com/auth/drive.readonly` becomes `driveReadonly`.
    private static func name(of url: String) -> String {
        let text =
            url.split(separator: "/auth/", maxSplits: 1).count == 2
            ? url.split(separator: "/auth/", maxSplits: 1)[1] : url[...]
        let short = text.hasPrefix("https://") ? text.dropFirst("https://".count) : text
        return SwiftName.member(String(short), of: .resource)
    }
}

extension String {
    /// With a full stop at its end.
    var withFullStop: String { self.isEmpty || self.hasSuffix(".") || self.hasSuffix("…") ? self : self + "." }
}

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

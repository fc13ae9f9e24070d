// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Writes the client of an API: where it is, and its resources.
struct ClientWriter {
    private let generator: APIGenerator

    init(_ generator: APIGenerator) { self.generator = generator }

    func file() -> GeneratedFile {
        let (document, namespace) = (self.generator.document, self.generator.namespace)
        var source = self.generator.heading(importing: ["@_exported public import TesseraGoogleAPI"])
        let links = document.documentationLink.map { ["- SeeAlso: [\(document.title)](\($0))"] } ?? []
        source.document([
            "The \(document.title), version `\(document.version)`.",
            self.generator.prose.text(document.description),
        ])
        if let link = links.first {
            source.line("///")
            source.line("/// " + link)
        }
        source.block("public struct \(namespace): APIClient {") { source in
            source.line("/// Where the API is.")
            source.block("public static let endpoint = APIEndpoint(", closing: ")") { source in
                source.line("name: \"\(document.name)\",")
                source.line("version: \"\(document.version)\",")
                source.line("rootURL: \"\(document.rootURL)\",")
                source.line("servicePath: \"\(document.servicePath)\",")
                var last = ["batchPath: \"\(document.batchPath)\""]
                if let limit = Self.batchLimit(document) { last.append("batchLimit: \(limit)") }
                if document.isDataWrapped { last.append("isDataWrapped: true") }
                for (place, line) in last.enumerated() { source.line(line + (place < last.count - 1 ? "," : "")) }
            }
            source.line("/// Who calls it, and how.")
            source.line("public let service: APIService")
            source.line()
            source.line("/// A client of a service.")
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

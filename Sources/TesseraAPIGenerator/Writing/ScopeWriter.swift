// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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

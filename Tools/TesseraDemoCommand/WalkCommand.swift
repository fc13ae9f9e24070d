// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && CommandLine
internal import ArgumentParser
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraDefaults
internal import TesseraLocalProvider
internal import TesseraOAuth

/// `tessera-demo walk`: stands in for a browser and a person, for tests (`--browser 'tessera-demo walk'`).
struct WalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walk",
        abstract: "Walks the local provider's pages to the end and hands the redirect over.",
        shouldDisplay: false
    )

    @Option(help: "The email address of the account to choose.")
    var account: String?

    @Option(help: "A scope to untick.")
    var untick: [String] = []

    @Flag(help: "Press Cancel.")
    var deny = false

    @Argument(help: "The authorization URL, or the file whose page leads there.")
    var url: String

    func run() async throws {
        let walk = ConsentWalk(
            transport: PlatformDefaults.transport(permitting: .loopbackHTTP),
            email: self.account,
            unticked: Set(self.untick),
            refuses: self.deny
        )
        _ = try await walk.deliver(try await walk.redirect(from: try self.authorizationURL()))
    }

    /// What the page's link leads to, where the address is a file's.
    private func authorizationURL() throws -> String {
        guard let file = URL(string: self.url), file.isFileURL else { return self.url }
        let page = try String(contentsOf: file, encoding: .utf8)
        let parts = page.split(separator: "href=\"", maxSplits: 1)
        guard parts.count == 2 else { throw ValidationError("\(file.path) has no link.") }
        let entities = [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
        return entities.reduce(String(parts[1].prefix { $0 != "\"" })) { text, entity in
            text.replacing(entity.0, with: entity.1)
        }
    }
}
#endif

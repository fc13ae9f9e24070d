// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import ArgumentParser
internal import HTTPTypes
internal import TesseraDefaults
internal import TesseraFetch
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TesseraConsole

/// `tessera-provider walk`: acts as a browser and its user, with `--browser 'tessera-provider walk'`.
package struct WalkCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "walk",
        abstract: "Complete a sign-in at the local provider without a browser",
        discussion: """
            Example:
              tessera login --client client_secret.json --allow-loopback-http \\
                --browser 'tessera-provider walk'
            """
    )

    @Option(help: "The email address of the account to choose.")
    var account: String?

    @Option(help: "A scope to deselect.")
    var untick: [String] = []

    @Flag(help: "Press Cancel.")
    var deny = false

    @Argument(help: "The authorization URL, or the file or one-time page that redirects to it.")
    var url: String

    package init() {}

    package func run() async throws {
        let transport = PlatformDefaults.transport(insecure: .loopbackHTTP)
        let walk = ConsentWalk(
            transport: transport,
            email: self.account,
            deselectedScopes: Set(self.untick),
            deniesAccess: self.deny
        )
        let url = try await self.authorizationURL(transport)
        _ = try await walk.deliver(try await walk.redirect(from: url))
    }

    /// Returns the authorization URL: the argument itself, or the URL that the file or page leads to.
    private func authorizationURL(_ transport: any HTTPTransport) async throws -> String {
        if let url = try self.linkedURL() { return url }
        // An authorization URL always has a query, and a one-time page's URL never does.
        guard let page = try? HTTPRequest(method: .get, url: self.url), page.path?.contains("?") == false else {
            return self.url
        }
        let (response, _) = try await transport.send(page, body: nil)
        guard let target = response.headerFields[.location] else {
            throw ValidationError("\(self.url) does not redirect to another page.")
        }
        return target
    }

    /// Returns the link in the file, or nil if the URL is not a file URL.
    private func linkedURL() throws -> String? {
        guard let file = URL(string: self.url), file.isFileURL else { return nil }
        let page = try String(contentsOf: file, encoding: .utf8)
        let parts = page.split(separator: "href=\"", maxSplits: 1)
        guard parts.count == 2 else { throw ValidationError("\(file.path) does not contain a link.") }
        let entities = [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
        return entities.reduce(String(parts[1].prefix { $0 != "\"" })) { text, entity in
            text.replacing(entity.0, with: entity.1)
        }
    }
}

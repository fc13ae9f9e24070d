// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && CommandLine
internal import ArgumentParser
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

    @Argument(help: "The authorization URL.")
    var url: String

    func run() async throws {
        let walk = ConsentWalk(
            transport: PlatformDefaults.transport(permitting: .loopbackHTTP),
            email: self.account,
            unticked: Set(self.untick),
            refuses: self.deny
        )
        _ = try await walk.deliver(try await walk.redirect(from: self.url))
    }
}
#endif

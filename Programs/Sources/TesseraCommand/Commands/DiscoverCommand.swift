// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import Tessera
internal import TesseraJSON

/// `tessera discover`.
struct DiscoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "Shows what a provider can do, and what Tessera uses of it.",
        discussion: """
            Reads the provider's metadata: OpenID Connect's document, and where there is none that of RFC 8414. Nobody is
            signed in, and nothing is kept.

            Examples:
              tessera discover https://accounts.google.com
              tessera discover https://login.example.com --json
              tessera discover http://127.0.0.1:8080 --allow-loopback-http
            """
    )

    @Argument(help: ArgumentHelp("The provider's issuer.", valueName: "url"))
    var url: String

    @Flag(help: "Permit plain http to a loopback address: for a provider on this machine.")
    var allowLoopbackHTTP = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let insecure: Insecure = self.allowLoopbackHTTP ? .loopbackHTTP : []
        let issuer = try IssuerText.read(self.url, option: "the issuer", insecure: insecure)
        let document = try await ProviderDocument.find(issuer, insecure: insecure, runtime: .real(permitting: insecure))
        let report = ProviderReport(document)
        self.output.result(report.json, report.text)
    }
}

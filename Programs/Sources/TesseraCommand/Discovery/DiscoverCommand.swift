// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import HTTPTypes
internal import Tessera
internal import TesseraDefaults
internal import TesseraJOSE
internal import TesseraJSON

/// `tessera discover`.
struct DiscoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "Show a provider's capabilities",
        discussion: """
            Reads the provider's metadata from the OpenID Connect document, or from the RFC 8414 document if that is \
            missing. Does not sign in or store anything.

            Examples:
              tessera discover https://accounts.google.com
              tessera discover https://login.example.com --json
              tessera discover http://127.0.0.1:8080 --allow-loopback-http
            """
    )

    @Argument(help: ArgumentHelp("The provider's issuer.", valueName: "url"))
    var url: String

    @Flag(help: "Allow plain http for a provider on a loopback address.")
    var allowLoopbackHTTP = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let insecure: Insecure = self.allowLoopbackHTTP ? .loopbackHTTP : []
        let issuer = try IssuerText.read(self.url, option: "the issuer", insecure: insecure)
        let document = try await ProviderDocument.find(issuer, insecure: insecure, runtime: .real(insecure: insecure))
        let report = ProviderReport(document)
        self.output.result(report.json, report.text)
    }
}

/// A provider's metadata and the request that fetched it.
struct ProviderDocument: Sendable {
    let metadata: ServerMetadata
    let request: MetadataRequest

    /// Fetches the OpenID Connect document, or the RFC 8414 document if it is missing.
    static func find(_ issuer: Issuer, insecure: Insecure, runtime: OAuthRuntime) async throws -> ProviderDocument {
        do {
            return try await Self.ask(MetadataRequest(.openIDConnect, of: issuer, insecure: insecure), runtime)
        } catch let error as HTTPStatusError where error.status == 404 {
            return try await Self.ask(MetadataRequest(.authorizationServer, of: issuer, insecure: insecure), runtime)
        }
    }

    private static func ask(_ request: MetadataRequest, _ runtime: OAuthRuntime) async throws -> ProviderDocument {
        let (response, body) = try await runtime.exchange(try request.message())
        let metadata = try request.metadata(status: Int(response.status.code), body: body)
        return ProviderDocument(metadata: metadata, request: request)
    }

    /// The standard that defines the document.
    var standard: String {
        switch self.request.document {
        case .openIDConnect: "OpenID Connect Discovery 1.0"
        case .authorizationServer: "RFC 8414"
        }
    }
}

extension OAuthRuntime {
    /// Creates a runtime with the system's network transport.
    static func real(insecure: Insecure) -> OAuthRuntime {
        OAuthRuntime(transport: PlatformDefaults.transport(insecure: insecure))
    }
}

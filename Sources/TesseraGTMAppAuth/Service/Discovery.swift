// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraOAuth

/// Asks a provider for its discovery document.
struct Discovery: Sendable {
    let world: AppAuthWorld

    init() throws { self.world = try AppAuthWorld.current() }

    /// What an issuer says about itself, which has to begin with its own name.
    func metadata(of issuer: URL) async throws -> ServerMetadata { try await self.answer(issuer).metadata }

    func configuration(of issuer: URL) async throws -> OIDServiceConfiguration {
        try Self.configuration(try await self.answer(issuer).body)
    }

    /// The document at a URL; where that is the place of an issuer's document, the issuer has to be its own.
    func configuration(at url: URL) async throws -> OIDServiceConfiguration {
        let suffix = "/.well-known/openid-configuration"
        let text = url.absoluteString
        if text.hasSuffix(suffix), let issuer = URL(string: String(text.dropLast(suffix.count))) {
            return try await self.configuration(of: issuer)
        }
        let endpoint = try Endpoint(text, name: "the discovery URL", insecure: self.world.insecure)
        let (response, body) = try await self.world.runtime.exchange(.get(endpoint))
        guard response.status.code == 200 else {
            throw HTTPStatusError(status: Int(response.status.code), endpoint: "discovery document")
        }
        return try Self.configuration(body)
    }

    private static func configuration(_ document: [UInt8]) throws -> OIDServiceConfiguration {
        OIDServiceConfiguration(discoveryDocument: try OIDServiceDiscovery(jsonData: Data(document)))
    }

    private func answer(_ issuer: URL) async throws -> (metadata: ServerMetadata, body: [UInt8]) {
        let insecure = self.world.insecure
        let name = try Issuer(issuer.absoluteString, insecure: insecure)
        let request = MetadataRequest(.openIDConnect, of: name, insecure: insecure)
        let (response, body) = try await self.world.runtime.exchange(try request.message())
        return (try request.metadata(status: Int(response.status.code), body: body), body)
    }
}

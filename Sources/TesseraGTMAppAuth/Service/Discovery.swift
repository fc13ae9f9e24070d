// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraOAuth

/// Asks a provider for its discovery document.
struct Discovery: Sendable {
    let world: AppAuthWorld

    /// What an issuer says about itself, which has to begin with its own name.
    func metadata(of issuer: URL) async throws -> ServerMetadata { try await self.answer(issuer).metadata }

    /// The same as AppAuth's document.
    func document(of issuer: URL) async throws -> OIDServiceDiscovery {
        try OIDServiceDiscovery(jsonData: Data(try await self.answer(issuer).body))
    }

    private func answer(_ issuer: URL) async throws -> (metadata: ServerMetadata, body: [UInt8]) {
        let insecure = self.world.insecure
        let name = try Issuer(issuer.absoluteString, insecure: insecure)
        let request = MetadataRequest(.openIDConnect, of: name, insecure: insecure)
        let (response, body) = try await self.world.runtime.exchange(try request.message())
        return (try request.metadata(status: Int(response.status.code), body: body), body)
    }
}

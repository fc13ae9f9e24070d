// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraOAuth

/// Asks a provider for its discovery document.
struct Discovery: Sendable {
    let world: AppAuthWorld

    /// What an issuer says about itself, which has to begin with its own name.
    func metadata(of issuer: URL) async throws -> ServerMetadata {
        let request = try self.request(issuer)
        let (response, body) = try await self.world.runtime.exchange(try request.message())
        return try request.metadata(status: Int(response.status.code), body: body)
    }

    /// The same as AppAuth's document.
    func document(of issuer: URL) async throws -> OIDServiceDiscovery {
        let request = try self.request(issuer)
        let (response, body) = try await self.world.runtime.exchange(try request.message())
        _ = try request.metadata(status: Int(response.status.code), body: body)
        return try OIDServiceDiscovery(jsonData: Data(body))
    }

    private func request(_ issuer: URL) throws -> MetadataRequest {
        // A slash at the end is not another issuer for AppAuth's callers: the document's own spelling counts.
        let text = issuer.absoluteString
        return MetadataRequest(
            .openIDConnect,
            of: try Issuer(text, insecure: self.world.insecure),
            insecure: self.world.insecure
        )
    }
}

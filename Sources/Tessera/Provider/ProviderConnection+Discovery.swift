// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
package import TesseraOAuth

extension ProviderConnection {
    func discover() async throws -> (metadata: ServerMetadata, lifetime: Int64) {
        do {
            return try await self.discover(.openIDConnect)
        } catch let error as HTTPStatusError where error.status == 404 {
            return try await self.discover(.authorizationServer)
        }
    }

    /// Fetches a metadata document, bypassing the cache, and returns it with its lifetime in seconds.
    ///
    /// No request is sent if the provider's settings violate the client's security profile.
    package func discover(
        _ document: MetadataRequest.Document
    ) async throws -> (metadata: ServerMetadata, lifetime: Int64) {
        let provider = self.provider
        if let profile = provider.client.securityProfile {
            try profile.check(provider.client, usesDPoP: provider.dpop != .never, insecure: provider.insecure)
        }
        let request = MetadataRequest(document, of: provider.issuer, insecure: provider.insecure)
        return try await self.runtime.observed(.discovery) {
            let (response, body) = try await self.runtime.exchange(try request.message())
            let metadata = try request.metadata(status: Int(response.status.code), body: body)
            return (metadata, min(max(response.maxAge ?? Self.lifetime, 300), Self.lifetime))
        }
    }
}

extension HTTPResponse {
    /// The `max-age` of `Cache-Control` in seconds, or nil if it is missing or invalid.
    fileprivate var maxAge: Int64? {
        let directives = self.headerFields[.cacheControl]?.lowercased().split { $0 == "," || $0 == " " } ?? []
        return directives.first { $0.hasPrefix("max-age=") }.flatMap { Int64($0.dropFirst("max-age=".count)) }
    }
}

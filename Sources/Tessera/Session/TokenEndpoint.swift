// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Logging
internal import TesseraJOSE
internal import TesseraOAuth

/// Sends token requests, each of which is traced, counted and logged.
struct TokenEndpoint: Sendable {
    let connection: ProviderConnection
    let logger: Logger

    /// One request, one answer; nothing is sent twice here but what lacked a DPoP nonce.
    func send(
        _ request: TokenRequest,
        dpopKey: DPoPKey?,
        deadline: Duration = .seconds(60)
    ) async throws -> TokenResponse {
        try await self.connection.observe(.token, grantType: request.grantType, logger: self.logger) {
            let client = try await self.connection.registeredClient(dpopKey: dpopKey)
            return try await client.send(request, deadline: deadline)
        }
    }
}

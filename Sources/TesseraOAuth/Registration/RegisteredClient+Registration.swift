// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

extension RegisteredClient {
    /// Registers a program that the server does not know yet.
    ///
    /// - Parameters:
    ///   - metadata: what the program says about itself.
    ///   - server: where it registers.
    ///   - initialAccessToken: the right to register, where the server wants one.
    ///   - requiresSecretExpiry: as ``RegistrationRequest/requiresSecretExpiry``.
    ///   - runtime: the network and the clocks.
    /// - Returns: the registration, whose ``ClientRegistration/client`` signs people in.
    /// - Throws: `missingMetadata` where the server has no registration endpoint; what ``send(_:deadline:)`` throws.
    public static func register(
        _ metadata: ClientMetadata,
        at server: ServerMetadata,
        initialAccessToken: Secret? = nil,
        requiresSecretExpiry: Bool = true,
        runtime: OAuthRuntime
    ) async throws -> ClientRegistration {
        let endpoint = try server.require(\.registrationEndpoint, "registration_endpoint")
        var request = RegistrationRequest.register(metadata, at: endpoint, initialAccessToken: initialAccessToken)
        request.requiresSecretExpiry = requiresSecretExpiry
        // Nobody yet: nothing of a client is sent.
        return try await RegisteredClient(OAuthClient(clientID: ""), metadata: server, runtime: runtime).send(request)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGoogle
internal import TesseraOAuth

/// Where a configuration's sign-ins take place.
enum GooglePlace: Sendable, Hashable {
    /// At Google, with a client that has a secret where it is one of a desktop program.
    case google(clientSecret: Secret?)
    /// At a provider with a client of its own.
    case provider(Provider)

    func provider(clientID: String) throws -> Provider {
        switch self {
        case .provider(let provider): return provider
        case .google(let clientSecret):
            guard !clientID.isEmpty else {
                throw GIDSignInError(.invalidConfiguration, detail: "the client ID is empty")
            }
            return try .google(
                client: OAuthClient(
                    clientID: clientID,
                    clientSecret: clientSecret,
                    authentication: clientSecret == nil ? .publicClient : .clientSecretPost
                )
            )
        }
    }
}

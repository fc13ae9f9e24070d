// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// An API key, which identifies a project and no user.
struct APIKeyCredentials: CredentialMethod {
    let key: Secret

    var kind: GoogleCredentialKind { .apiKey }
    var acceptsScopes: Bool { false }

    func requestToken(_ scopes: [Scope], _ client: CredentialClient) async throws -> IssuedToken {
        throw self.unsupported("access tokens", advice: "Use an API that accepts keys, or a service account.")
    }
}

/// No credentials, for public data and emulators.
struct AnonymousCredentials: CredentialMethod {
    var kind: GoogleCredentialKind { .anonymous }
    var acceptsScopes: Bool { false }

    func requestToken(_ scopes: [Scope], _ client: CredentialClient) async throws -> IssuedToken {
        throw self.unsupported("access tokens", advice: "Use credentials to call an API that requires them.")
    }
}

/// A ready-made access token, and the caller's closure for later ones.
final class TokenCredentials: CredentialMethod {
    private let refresh: @Sendable ([Scope]) async throws -> AccessToken

    init(_ refresh: @escaping @Sendable ([Scope]) async throws -> AccessToken) { self.refresh = refresh }

    var kind: GoogleCredentialKind { .token }

    func requestToken(_ scopes: [Scope], _ client: CredentialClient) async throws -> IssuedToken {
        let token = try await self.refresh(scopes)
        let lifetime = token.expiresAt.map { client.lifetime(until: $0) }
        if let lifetime, lifetime <= 0 {
            throw GoogleCredentialsError(
                .invalidConfiguration,
                reason: "the closure returned an access token that has expired",
                advice: "Return a new token from the closure."
            )
        }
        return IssuedToken(token.secret, lifetime: lifetime).since(client.runtime.uptime())
    }
}

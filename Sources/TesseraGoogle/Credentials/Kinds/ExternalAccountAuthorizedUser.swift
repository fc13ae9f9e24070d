// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// A signed-in user of a workforce pool, as written by `gcloud auth application-default login --login-config`.
final class ExternalAccountAuthorizedUser: CredentialMethod {
    private let tokenEndpoint: Endpoint
    private let oauthClient: TokenServiceClient
    /// The refresh token, which a response can replace.
    private let refreshToken: Mutex<Secret>

    init(_ file: CredentialFile, trust: EndpointTrust) throws {
        try trust.check(universe: try file.string("universe_domain"), of: file.path)
        self.refreshToken = Mutex(Secret(try file.required("refresh_token")))
        self.tokenEndpoint = try trust.endpoint(try file.required("token_url"), .tokenURL, of: file.path)
        self.oauthClient = TokenServiceClient(
            clientID: try file.required("client_id"),
            clientSecret: Secret(try file.required("client_secret"))
        )
    }

    var kind: GoogleCredentialKind { .externalAccountAuthorizedUser }
    var acceptsScopes: Bool { false }

    func requestToken(_ scopes: [Scope], _ client: CredentialClient) async throws -> IssuedToken {
        let refreshToken = self.refreshToken.withLock { $0 }
        var request = TokenRequest.refresh(refreshToken, at: self.tokenEndpoint)
        self.oauthClient.authenticate(&request)
        let response = try await client.token(request, at: self.tokenEndpoint)
        if let replacement = response.refreshToken { self.refreshToken.withLock { $0 = replacement } }
        return IssuedToken(response)
    }
}

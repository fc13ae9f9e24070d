// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A user's refresh token, as written by `gcloud auth application-default login`.
struct AuthorizedUser: CredentialMethod {
    let refreshToken: Secret
    let oauthClient: OAuthClient
    let scopes: [Scope]
    /// The token that proves a recent sign-in, if the organization requires it.
    let reauthenticationToken: Secret?
    /// The path of the file.
    let path: String?

    init(_ file: CredentialFile) throws(GoogleCredentialsError) {
        self.refreshToken = Secret(try file.required("refresh_token"))
        self.oauthClient = OAuthClient(
            clientID: try file.required("client_id"),
            clientSecret: Secret(try file.required("client_secret")),
            authentication: .clientSecretPost
        )
        self.scopes = try Self.scopes(file)
        self.reauthenticationToken = try file.string("rapt_token").map { Secret($0) }
        self.path = file.path
    }

    /// Reads `scopes`, which is an array or a string with scopes that are separated by spaces.
    private static func scopes(_ file: CredentialFile) throws(GoogleCredentialsError) -> [Scope] {
        if let text = file.object["scopes"]?.string { return text.split(separator: " ").map { Scope(String($0)) } }
        return try file.strings("scopes")?.map { Scope($0) } ?? []
    }

    var kind: GoogleCredentialKind { .authorizedUser }
    /// The user granted the scopes, and a request for others would be rejected.
    var acceptsScopes: Bool { false }

    func requestToken(_ scopes: [Scope], _ client: CredentialClient) async throws -> IssuedToken {
        guard client.trust.universeDomain == EndpointTrust.defaultUniverse else {
            throw GoogleCredentialsError(
                .universeMismatch,
                at: self.path,
                reason: "a user's credentials can be used only in the universe googleapis.com",
                advice: "Use a service account in this universe."
            )
        }
        // Like google-auth, ignore the file's token_uri.
        let endpoint = try Endpoint(GoogleEndpoints.tokenEndpoint, name: "token_endpoint")
        var request = TokenRequest.refresh(self.refreshToken, scopes: self.scopes, at: endpoint)
        self.reauthenticationToken?.withUnredacted { request.additionalParameters["rapt"] = $0 }
        do {
            return IssuedToken(try await client.token(request, as: self.oauthClient, at: endpoint))
        } catch let error as OAuthError where error.isReauthenticationRequired {
            throw GoogleCredentialsError(
                .reauthenticationRequired,
                at: self.path,
                reason: "the organization requires the user to sign in again (\(error.subtype ?? "rapt_required"))",
                status: error.status
            )
        }
    }
}

extension OAuthError {
    /// Whether the user has to sign in again, because the organization limits the length of sessions.
    var isReauthenticationRequired: Bool {
        self.code == .invalidGrant && ["invalid_rapt", "rapt_required"].contains(self.subtype)
    }
}

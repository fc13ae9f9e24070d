// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Hummingbird
import HTTPTypes
import Tessera
import TesseraOAuth

/// The route for apps: `POST /tokens`.
struct AppRoutes: Sendable {
    let backend: Backend

    /// The request body, with the results of the app's own sign-in.
    private struct Tokens: Decodable {
        let serverAuthCode: String
        let idToken: String
    }

    /// The response body.
    private struct Response: ResponseEncodable {
        let subject: String
        let email: String?
        let scopes: [String]
        /// Whether the backend has a refresh token and can call the API after the access token expires.
        let offline: Bool
        /// The token that the app sends in later requests: `Authorization: Bearer …`.
        let session: String
    }

    func add(to router: Router<BasicRequestContext>) {
        router.post("tokens") { request, context in
            let tokens = try await request.decode(as: Tokens.self, context: context)
            return try await self.take(tokens)
        }
    }

    /// Verifies that the ID token was issued to one of the backend's apps and that the code belongs to the same user.
    ///
    /// Nothing is stored before both checks have passed.
    private func take(_ tokens: Tokens) async throws -> Response {
        let user = try await self.backend.signIn.verify(
            Secret(tokens.idToken),
            fromApps: self.backend.settings.appClients
        )
        var options = SignInOptions()
        options.clientType = "web"
        let session = try await self.backend.signIn.redeem(
            ServerAuthCode(Secret(tokens.serverAuthCode)),
            of: user,
            scopes: Backend.scopes,
            options: options
        )
        return Response(
            subject: session.account.subject,
            email: session.identity.email,
            scopes: session.grantedScopes.granted.map(\.rawValue),
            offline: session.record.tokens?.refreshToken != nil,
            session: try await self.backend.visitors.welcome(session.account)
        )
    }
}

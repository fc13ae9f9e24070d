// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Hummingbird
import HTTPTypes
import Tessera
import TesseraOAuth

/// What the program's apps send: `POST /tokens`.
struct AppRoutes: Sendable {
    let backend: Backend

    /// What an app got from its own sign-in.
    private struct Tokens: Decodable {
        let serverAuthCode: String
        let idToken: String
    }

    /// What it is told.
    private struct Answer: ResponseEncodable {
        let subject: String
        let email: String?
        let scopes: [String]
        /// Whether the backend can go on when the access token has ended.
        let offline: Bool
        /// What the app shows in its requests from now on: `Authorization: Bearer …`.
        let session: String
    }

    func add(to router: Router<BasicRequestContext>) {
        router.post("tokens") { request, context in
            let tokens = try await request.decode(as: Tokens.self, context: context)
            return try await self.take(tokens)
        }
    }

    /// Both are checked before anything is kept: the ID token is this program's, and the code is the same person's.
    private func take(_ tokens: Tokens) async throws -> Answer {
        let person = try await self.backend.signIn.verify(
            Secret(tokens.idToken),
            fromApps: self.backend.settings.appClients
        )
        var options = SignInOptions()
        options.clientType = "web"
        let session = try await self.backend.signIn.redeem(
            ServerAuthCode(Secret(tokens.serverAuthCode)),
            of: person,
            scopes: Backend.scopes,
            options: options
        )
        return Answer(
            subject: session.account.subject,
            email: session.identity.email,
            scopes: session.grantedScopes.map(\.rawValue),
            offline: session.record.tokens?.refreshToken != nil,
            session: try await self.backend.visitors.welcome(session.account)
        )
    }
}

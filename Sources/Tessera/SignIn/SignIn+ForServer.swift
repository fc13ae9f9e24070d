// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension SignIn {
    /// Signs a person in at an app whose server is to act for them, too: the answer brings a one-time code for it.
    ///
    /// The server is named to the provider by the parameter `audience`, as Google knows it; the ID token is made out to
    /// the server then, at this sign-in and at every refresh.
    ///
    /// - Parameters:
    ///   - scopes: what is asked for, by the app and by its server.
    ///   - serverClientID: the server's client, of the same project.
    ///   - options: what else.
    /// - Returns: the session, and what to send to the server.
    /// - Throws: as ``signIn(scopes:options:)``.
    public func signIn(
        scopes: [Scope],
        forServer serverClientID: String,
        options: SignInOptions = SignInOptions()
    ) async throws -> SignInAnswer {
        var options = options
        options.serverClientID = serverClientID
        return try await self.answer(scopes: scopes, options: options, userAgent: self.userAgent)
    }

    /// Asks the person for more scopes, for the app and its server: the answer brings a code for all of them.
    ///
    /// - Returns: the session, updated in place, and what to send to the server.
    /// - Throws: as ``addScopes(_:to:options:)``.
    public func addScopes(
        _ scopes: [Scope],
        to session: OAuthSession,
        forServer serverClientID: String,
        options: SignInOptions = SignInOptions()
    ) async throws -> SignInAnswer {
        var options = options
        options.serverClientID = serverClientID
        return try await self.answer(adding: scopes, to: session, options: options, userAgent: self.userAgent)
    }
}

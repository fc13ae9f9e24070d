// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraUserAgents

extension GIDSignIn {
    /// Signs somebody in, who is the current user then.
    ///
    /// - Parameters:
    ///   - presenting: where the sign-in appears.
    ///   - hint: the email address or the subject of who is expected.
    ///   - additionalScopes: scopes beside `openid`, `email` and `profile`.
    ///   - nonce: a nonce of the program's server; a random one without it.
    ///   - claims: claims that the ID token should have.
    ///   - completion: gets the result, or a ``GIDSignInError``.
    public func signIn(
        withPresenting presenting: GIDPresentation,
        hint: String? = nil,
        additionalScopes: [String]? = nil,
        nonce: String? = nil,
        claims: Set<GIDClaim>? = nil,
        completion: ((GIDSignInResult?, (any Error)?) -> Void)? = nil
    ) {
        let consent = Consent(hint: hint, scopes: additionalScopes ?? [], nonce: nonce, claims: claims ?? [])
        let userAgent = Result { try self.userAgent(over: presenting) }
        self.report(to: completion) { try await self.begin(consent, userAgent.get()) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: ``GIDSignInError``.
    @discardableResult
    public func signIn(
        withPresenting presenting: GIDPresentation,
        hint: String? = nil,
        additionalScopes: [String]? = nil,
        nonce: String? = nil,
        claims: Set<GIDClaim>? = nil
    ) async throws -> GIDSignInResult {
        let consent = Consent(hint: hint, scopes: additionalScopes ?? [], nonce: nonce, claims: claims ?? [])
        return try await self.mapping { try await self.begin(consent, self.userAgent(over: presenting)) }
    }
}

extension GIDSignIn {
    /// Gives the sign-in that waits for it a URL that the program was opened with.
    ///
    /// Call it from the application's delegate, and on Linux with the argument of the desktop entry, where the sign-in is
    /// shown by a `PrivateSchemeBrowser`.
    ///
    /// - Returns: whether a sign-in waits for such a URL: then it is none of the program's.
    @discardableResult
    public func handle(_ url: URL) -> Bool { HandedRedirects.shared.receive(url) }
}

extension GIDGoogleUser {
    /// Asks the person for more scopes; this user is updated in place.
    ///
    /// - Parameters:
    ///   - scopes: what is asked for beside what is granted.
    ///   - presenting: where the page appears.
    ///   - completion: gets the result, or a ``GIDSignInError``: `scopesAlreadyGranted`, `mismatchWithCurrentUser` where
    ///     another account answered, `accessDenied`. What the person unticked is missing in ``grantedScopes``.
    public func addScopes(
        _ scopes: [String],
        presenting: GIDPresentation,
        completion: ((GIDSignInResult?, (any Error)?) -> Void)? = nil
    ) {
        let consent = self.consent(adding: scopes)
        let userAgent = Result { try self.signIn.userAgent(over: presenting) }
        self.signIn.report(to: completion) { try await self.signIn.begin(consent, adding: self, userAgent.get()) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: ``GIDSignInError``.
    @discardableResult
    public func addScopes(_ scopes: [String], presenting: GIDPresentation) async throws -> GIDSignInResult {
        let consent = self.consent(adding: scopes)
        return try await self.signIn.mapping {
            try await self.signIn.begin(consent, adding: self, self.signIn.userAgent(over: presenting))
        }
    }
}

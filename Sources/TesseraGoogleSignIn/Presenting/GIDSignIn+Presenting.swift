// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraUserAgents

#if canImport(MessageUI) || canImport(AppKit) || !canImport(Darwin)
extension GIDSignIn {
    /// Signs a user in, who becomes the current user.
    ///
    /// - Parameters:
    ///   - presenting: Where the sign-in appears. It must be on the screen.
    ///   - hint: The email address or the subject of the expected user.
    ///   - additionalScopes: Scopes in addition to `openid`, `email` and `profile`.
    ///   - nonce: A nonce of the app's server. Defaults to a random one.
    ///   - claims: Claims that the ID token should have.
    ///   - completion: Receives the result, or a ``GIDSignInError``.
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

    /// Signs a user in, who becomes the current user.
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
#endif

extension GIDSignIn {
    /// Passes a URL that the app was opened with to the sign-in that waits for it.
    ///
    /// Call it from `onOpenURL`, the scene delegate or the app delegate, and on Linux with the argument of the desktop
    /// entry, where a `PrivateSchemeBrowser` shows the sign-in. The sign-in sheet of Apple's systems receives its redirect
    /// without this call.
    ///
    /// - Returns: Whether a sign-in waits for the URL. The app must not handle it then.
    @discardableResult
    public func handle(_ url: URL) -> Bool { HandedRedirects.shared.receive(url) }
}

#if canImport(MessageUI) || canImport(AppKit) || !canImport(Darwin)
extension GIDGoogleUser {
    /// Asks the user for more scopes and updates this user in place.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request in addition to those granted.
    ///   - presenting: Where the page appears. It must be on the screen.
    ///   - completion: Receives the result, or a ``GIDSignInError``: `scopesAlreadyGranted`, `mismatchWithCurrentUser` if
    ///     the user chose another account, `accessDenied`. Scopes that the user unticked are missing in
    ///     ``grantedScopes``.
    public func addScopes(
        _ scopes: [String],
        presenting: GIDPresentation,
        completion: ((GIDSignInResult?, (any Error)?) -> Void)? = nil
    ) {
        let consent = self.consent(adding: scopes)
        let userAgent = Result { try self.signIn.userAgent(over: presenting) }
        self.signIn.report(to: completion) { try await self.signIn.begin(consent, adding: self, userAgent.get()) }
    }

    /// Asks the user for more scopes and updates this user in place.
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
#endif

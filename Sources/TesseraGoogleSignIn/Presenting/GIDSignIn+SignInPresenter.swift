// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera

#if !canImport(UIKit) && !canImport(AppKit)
/// What a sign-in is shown over: here any ``SignInPresenter``, a view controller on iOS, a window on macOS.
public typealias GIDPresentation = any SignInPresenter

extension GIDSignIn {
    /// Signs somebody in with the browser that `presenting` has.
    ///
    /// - Parameters:
    ///   - presenting: where the sign-in appears.
    ///   - hint: the email address or the subject of who is expected.
    ///   - additionalScopes: scopes beside `openid`, `email` and `profile`.
    ///   - nonce: a nonce of the program's server; a random one without it.
    ///   - claims: claims that the ID token should have.
    ///   - completion: gets the result, or a ``GIDSignInError``.
    public func signIn(
        withPresenting presenting: any SignInPresenter,
        hint: String? = nil,
        additionalScopes: [String]? = nil,
        nonce: String? = nil,
        claims: Set<GIDClaim>? = nil,
        completion: ((GIDSignInResult?, (any Error)?) -> Void)? = nil
    ) {
        let consent = Consent(hint: hint, scopes: additionalScopes ?? [], nonce: nonce, claims: claims ?? [])
        let userAgent = presenting.signInUserAgent
        self.report(to: completion) { try await self.begin(consent, userAgent) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: ``GIDSignInError``.
    @discardableResult
    public func signIn(
        withPresenting presenting: any SignInPresenter,
        hint: String? = nil,
        additionalScopes: [String]? = nil,
        nonce: String? = nil,
        claims: Set<GIDClaim>? = nil
    ) async throws -> GIDSignInResult {
        let consent = Consent(hint: hint, scopes: additionalScopes ?? [], nonce: nonce, claims: claims ?? [])
        let userAgent = presenting.signInUserAgent
        return try await self.mapping { try await self.begin(consent, userAgent) }
    }
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
        presenting: any SignInPresenter,
        completion: ((GIDSignInResult?, (any Error)?) -> Void)? = nil
    ) {
        let consent = self.consent(adding: scopes)
        let userAgent = presenting.signInUserAgent
        self.signIn.report(to: completion) { try await self.signIn.begin(consent, adding: self, userAgent) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: ``GIDSignInError``.
    @discardableResult
    public func addScopes(_ scopes: [String], presenting: any SignInPresenter) async throws -> GIDSignInResult {
        let consent = self.consent(adding: scopes)
        let userAgent = presenting.signInUserAgent
        return try await self.signIn.mapping { try await self.signIn.begin(consent, adding: self, userAgent) }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraUserAgents

#if canImport(MessageUI) || canImport(AppKit) || !canImport(Darwin)
extension GIDSignIn {
    /// Signs in a user, who becomes the current user.
    ///
    /// On Apple platforms, Info.plist must list the client's URL scheme, which is the reversed client ID, under
    /// `CFBundleURLTypes`.
    ///
    /// - Parameters:
    ///   - presenting: The view controller, window or presenter for the sign-in. It must be on the screen.
    ///   - hint: The email address or subject identifier of the expected user.
    ///   - additionalScopes: Scopes in addition to `openid`, `email` and `profile`.
    ///   - nonce: A nonce from the app's server, which defaults to a random value.
    ///   - claims: The claims to request in the ID token.
    ///   - completion: Receives the result or a ``GIDSignInError``.
    public func signIn(
        withPresenting presenting: GIDPresentation,
        hint: String? = nil,
        additionalScopes: [String]? = nil,
        nonce: String? = nil,
        claims: Set<GIDClaim>? = nil,
        completion: ((GIDSignInResult?, (any Error)?) -> Void)? = nil
    ) {
        let consent = Consent(hint: hint, scopes: additionalScopes ?? [], nonce: nonce, claims: claims ?? [])
        let userAgent = Result { try Self.userAgent(over: presenting, for: self.requiredConfiguration()) }
        self.report(to: completion) { try await self.begin(consent, userAgent.get()) }
    }

    /// Signs in a user, who becomes the current user.
    ///
    /// - Throws: ``GIDSignInError`` if the sign-in fails.
    @discardableResult
    public func signIn(
        withPresenting presenting: GIDPresentation,
        hint: String? = nil,
        additionalScopes: [String]? = nil,
        nonce: String? = nil,
        claims: Set<GIDClaim>? = nil
    ) async throws -> GIDSignInResult {
        let consent = Consent(hint: hint, scopes: additionalScopes ?? [], nonce: nonce, claims: claims ?? [])
        return try await self.mapping {
            try await self.begin(consent, Self.userAgent(over: presenting, for: self.requiredConfiguration()))
        }
    }
}
#endif

extension GIDSignIn {
    /// Passes a URL that opened the app to the pending sign-in.
    ///
    /// Call this method from `onOpenURL`, the scene delegate or the app delegate. On Linux, call it with the desktop
    /// entry's argument if a `PrivateSchemeBrowser` presents the sign-in. The sign-in sheet on Apple platforms receives
    /// its redirect without this call.
    ///
    /// - Returns: Whether a pending sign-in is waiting for the URL. If so, the app must not handle the URL itself.
    @discardableResult
    public func handle(_ url: URL) -> Bool { ForwardedRedirects.shared.receive(url) }
}

#if canImport(MessageUI) || canImport(AppKit) || !canImport(Darwin)
extension GIDGoogleUser {
    /// Requests additional scopes from the user and updates this user in place.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request in addition to those already granted.
    ///   - presenting: The view controller, window or presenter for the sign-in. It must be on the screen.
    ///   - completion: Receives the result or a ``GIDSignInError``. The code is `scopesAlreadyGranted`, `accessDenied`,
    ///     or `mismatchWithCurrentUser` if the user chose a different account. Scopes that the user deselected are
    ///     missing from ``grantedScopes``.
    public func addScopes(
        _ scopes: [String],
        presenting: GIDPresentation,
        completion: ((GIDSignInResult?, (any Error)?) -> Void)? = nil
    ) {
        let consent = self.consent(adding: scopes)
        let userAgent = Result { try GIDSignIn.userAgent(over: presenting, for: self.configuration) }
        self.signIn.report(to: completion) { try await self.signIn.begin(consent, adding: self, userAgent.get()) }
    }

    /// Requests additional scopes from the user and updates this user in place.
    ///
    /// - Throws: ``GIDSignInError`` if the scopes could not be added.
    @discardableResult
    public func addScopes(_ scopes: [String], presenting: GIDPresentation) async throws -> GIDSignInResult {
        let consent = self.consent(adding: scopes)
        return try await self.signIn.mapping {
            try await self.signIn.begin(
                consent,
                adding: self,
                GIDSignIn.userAgent(over: presenting, for: self.configuration)
            )
        }
    }
}
#endif

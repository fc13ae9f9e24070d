// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Tessera
@testable internal import TesseraGoogleSignIn

/// Presents the sign-ins of a test.
///
/// On Apple platforms, a sign-in takes a window or a view controller, which a test cannot script. These overloads take
/// a user agent instead.
protocol SignInPresenter {
    var signInUserAgent: any UserAgent { get }
}

extension GIDSignIn {
    func signIn(
        withPresenting presenter: any SignInPresenter,
        hint: String? = nil,
        additionalScopes: [String]? = nil,
        nonce: String? = nil,
        claims: Set<GIDClaim>? = nil,
        completion: ((GIDSignInResult?, (any Error)?) -> Void)? = nil
    ) {
        let consent = Consent(hint: hint, scopes: additionalScopes ?? [], nonce: nonce, claims: claims ?? [])
        let userAgent = presenter.signInUserAgent
        self.report(to: completion) { try await self.begin(consent, userAgent) }
    }

    @discardableResult
    func signIn(
        withPresenting presenter: any SignInPresenter,
        hint: String? = nil,
        additionalScopes: [String]? = nil,
        nonce: String? = nil,
        claims: Set<GIDClaim>? = nil
    ) async throws -> GIDSignInResult {
        let consent = Consent(hint: hint, scopes: additionalScopes ?? [], nonce: nonce, claims: claims ?? [])
        return try await self.mapping { try await self.begin(consent, presenter.signInUserAgent) }
    }
}

extension GIDGoogleUser {
    func addScopes(
        _ scopes: [String],
        presenting presenter: any SignInPresenter,
        completion: ((GIDSignInResult?, (any Error)?) -> Void)? = nil
    ) {
        let consent = self.consent(adding: scopes)
        let userAgent = presenter.signInUserAgent
        self.signIn.report(to: completion) { try await self.signIn.begin(consent, adding: self, userAgent) }
    }

    @discardableResult
    func addScopes(_ scopes: [String], presenting presenter: any SignInPresenter) async throws -> GIDSignInResult {
        let consent = self.consent(adding: scopes)
        return try await self.signIn.mapping {
            try await self.signIn.begin(consent, adding: self, presenter.signInUserAgent)
        }
    }
}
#endif

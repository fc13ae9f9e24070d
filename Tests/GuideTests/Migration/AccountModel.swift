// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleSignIn
#if canImport(UIKit)
internal import UIKit
#endif

// guide: google-sign-in-async
// imports: TesseraGoogleSignIn UIKit
// before-imports: GoogleSignIn UIKit
@MainActor
struct AccountModel {
    let google: GIDSignIn

    init(_ google: GIDSignIn = .sharedInstance) { self.google = google }

    func start(over presenting: UIViewController) async throws -> GIDGoogleUser? {
        if self.google.hasPreviousSignIn() { return try await self.google.restorePreviousSignIn() }
        do {
            return try await self.google.signIn(withPresenting: presenting).user
        } catch GIDSignInError.canceled {
            return nil
        }
    }

    func header(for user: GIDGoogleUser) async throws -> String {
        "Bearer \(try await user.refreshTokensIfNeeded().accessToken.tokenString)"
    }

    func disconnect() async throws { try await self.google.disconnect() }
}
// end

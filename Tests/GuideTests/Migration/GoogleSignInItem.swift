// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn

// guide: google-sign-in-item
// imports: TesseraGTMAppAuth TesseraGoogleSignIn
func previousUser(_ google: GIDSignIn, savedIn item: KeychainStore) async throws -> GIDGoogleUser {
    google.googleSignInStore = item
    return try await google.restorePreviousSignIn()
}
// end

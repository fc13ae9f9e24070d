// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn

// guide: kept-by-google-sign-in
// imports: TesseraGTMAppAuth TesseraGoogleSignIn
func previousUser(_ google: GIDSignIn, keptIn item: KeychainStore) async throws -> GIDGoogleUser {
    google.ancestorStore = item
    return try await google.restorePreviousSignIn()
}
// end

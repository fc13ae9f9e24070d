// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
#if canImport(UIKit)
internal import UIKit
#endif

// guide: kept-by-google-sign-in
// imports: TesseraGTMAppAuth TesseraGoogleSignIn UIKit
@MainActor
func signInAgain(
    _ google: GIDSignIn,
    over presenting: UIViewController,
    kept: KeychainStore = KeychainStore(itemName: "auth")
) async throws {
    guard let old = try? kept.retrieveAuthSession() else { return }
    try await google.signIn(withPresenting: presenting, hint: old.userEmail)
    try kept.removeAuthSession()
}
// end

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGoogleSignIn
#if canImport(UIKit)
internal import UIKit
#else
/// What a sign-in is shown over on this system, under the name that programs for iOS have for it.
typealias UIViewController = GIDPresentation
#endif

// guide: google-sign-in
// imports: Foundation TesseraGoogleSignIn UIKit
// before-imports: Foundation GoogleSignIn UIKit
@MainActor
final class AccountScreen {
    private let google: GIDSignIn
    private let show: (String) -> Void

    init(_ google: GIDSignIn = .sharedInstance, show: @escaping (String) -> Void) {
        self.google = google
        self.show = show
    }

    func appear() {
        self.google.restorePreviousSignIn { user, _ in self.greet(user) }
    }

    func signIn(over presenting: UIViewController) {
        self.google.signIn(withPresenting: presenting) { result, error in
            if let error { return self.show(error.localizedDescription) }
            self.greet(result?.user)
        }
    }

    func addCalendar(over presenting: UIViewController) {
        let calendar = "https://www.googleapis.com/auth/calendar.readonly"
        self.google.currentUser?
            .addScopes([calendar], presenting: presenting) { result, _ in
                let isGranted = result?.user.grantedScopes?.contains(calendar) == true
                self.show(isGranted ? "The calendar may be read." : "The calendar stays closed.")
            }
    }

    func call(_ send: @escaping (String) -> Void) {
        self.google.currentUser?
            .refreshTokensIfNeeded { user, error in
                guard let user else { return self.show(error?.localizedDescription ?? "") }
                send("Bearer \(user.accessToken.tokenString)")
            }
    }

    func signOut() {
        self.google.signOut()
        self.greet(nil)
    }

    private func greet(_ user: GIDGoogleUser?) {
        self.show(user?.profile?.email ?? "Nobody is signed in.")
    }
}
// end

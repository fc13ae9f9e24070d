// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGoogleSignIn
#if canImport(UIKit)
internal import UIKit
#else
/// The presentation context of a sign-in on this platform, under its name in iOS programs.
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
                self.show(isGranted ? "Calendar access was granted." : "Calendar access was not granted.")
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
        self.show(user?.profile?.email ?? "Not signed in.")
    }
}
// end

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
import Foundation
import TesseraGoogleSignIn

/// Signs in the user and changes the model.
@MainActor final class GoogleSignInAuthenticator: ObservableObject {
    private let authViewModel: AuthenticationViewModel

    init(authViewModel: AuthenticationViewModel) { self.authViewModel = authViewModel }

    func signIn() {
        guard let rootViewController = UIApplication.shared.windows.first?.rootViewController else { return }
        GIDSignIn.sharedInstance.signIn(withPresenting: rootViewController) { signInResult, error in
            guard let signInResult = signInResult else {
                self.authViewModel.problem = error
                return
            }
            self.authViewModel.state = .signedIn(signInResult.user)
        }
    }

    func signOut() {
        GIDSignIn.sharedInstance.signOut()
        self.authViewModel.state = .signedOut
    }

    func disconnect() {
        GIDSignIn.sharedInstance.disconnect { error in
            if let error = error { self.authViewModel.problem = error }
            self.signOut()
        }
    }

    func addBirthdayReadScope(completion: @escaping () -> Void) {
        guard let currentUser = GIDSignIn.sharedInstance.currentUser,
            let rootViewController = UIApplication.shared.windows.first?.rootViewController
        else { return }
        currentUser.addScopes([BirthdayLoader.birthdayReadScope], presenting: rootViewController) {
            signInResult,
            error in
            if let error = error {
                self.authViewModel.problem = error
                return
            }
            guard let signInResult = signInResult else { return }
            self.authViewModel.state = .signedIn(signInResult.user)
            completion()
        }
    }
}
#endif

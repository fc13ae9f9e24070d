// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
import Foundation
import TesseraGoogleSignIn

/// The app of GoogleSignIn's Swift sample, which calls the library in the same order.
///
/// Compared with the sample, only the edit that `Docs/Differences.md` names was made: the import. The views, which
/// would show the values of the models, are missing.
@MainActor struct DaysUntilBirthday {
    let authViewModel = AuthenticationViewModel()

    /// Restores the user of the previous launch when the window appears.
    func onAppear() {
        GIDSignIn.sharedInstance.restorePreviousSignIn { user, error in
            if let user = user {
                self.authViewModel.state = .signedIn(user)
            } else if let error = error {
                self.authViewModel.state = .signedOut
                self.authViewModel.problem = error
            } else {
                self.authViewModel.state = .signedOut
            }
        }
    }

    func onOpenURL(_ url: URL) -> Bool { GIDSignIn.sharedInstance.handle(url) }
}
#endif

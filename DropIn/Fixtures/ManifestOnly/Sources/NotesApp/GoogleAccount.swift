// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import GoogleSignIn
#if canImport(UIKit)
import UIKit
#endif

/// The user's Google account.
final class GoogleAccount {
    static let driveScope = "https://www.googleapis.com/auth/drive.file"

    private(set) var name = ""
    private(set) var message: String?

    init(clientID: String) {
        GIDSignIn.sharedInstance.configuration = GIDConfiguration(clientID: clientID, serverClientID: nil)
    }

    /// Signs in the user of the previous launch.
    func restore() {
        guard GIDSignIn.sharedInstance.hasPreviousSignIn() else { return }
        GIDSignIn.sharedInstance.restorePreviousSignIn { user, error in
            self.show(user, error)
        }
    }

    #if canImport(UIKit) && canImport(MessageUI)
    func signIn(over viewController: UIViewController) {
        GIDSignIn.sharedInstance.signIn(
            withPresenting: viewController,
            hint: nil,
            additionalScopes: [Self.driveScope]
        ) { result, error in
            self.show(result?.user, error)
        }
    }
    #endif

    /// Passes a fresh access token to a call.
    func withToken(_ call: @escaping (String) -> Void) {
        guard let user = GIDSignIn.sharedInstance.currentUser else { return }
        user.refreshTokensIfNeeded { user, error in
            guard let user = user else { return self.show(nil, error) }
            call(user.accessToken.tokenString)
        }
    }

    func signOut() {
        GIDSignIn.sharedInstance.signOut()
        self.name = ""
    }

    func disconnect() async throws { try await GIDSignIn.sharedInstance.disconnect() }

    func open(_ url: URL) -> Bool { GIDSignIn.sharedInstance.handle(url) }

    private func show(_ user: GIDGoogleUser?, _ error: Error?) {
        if let error = error as? GIDSignInError, error.code == .canceled { return }
        self.message = error?.localizedDescription
        guard let profile = user?.profile else { return }
        self.name = profile.name
        if user?.grantedScopes?.contains(Self.driveScope) != true { self.message = "Drive is not available." }
        if profile.hasImage { print(profile.imageURL(withDimension: 96)?.absoluteString ?? "") }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Security)
internal import Tessera
internal import TesseraDefaults
internal import TesseraGoogle
internal import TesseraOAuth
internal import TesseraStores
#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
internal import UIKit
#endif

/// The code for Apple platforms in guides, which `Scripts/check-apple` compiles for Apple platforms.
enum AppleAppGuide {
    static func sharedStore() -> KeychainSessionStore {
        // guide: ios-shared-store
        let store = KeychainSessionStore(accessGroup: "TEAMID.com.example.shared", appGroup: "group.com.example")
        // end
        return store
    }
}

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
extension UIViewController {
    fileprivate func signIn() async throws -> OAuthSession {
        // guide: ios-sign-in
        let client = OAuthClient(clientID: "123-abc.apps.googleusercontent.com")
        let redirectURI = try client.googleAppRedirectURI()
        let signIn = try await SignIn(.google(client: client), redirectURI: redirectURI) { self.view.window }
        let session = try await signIn.restoreOrSignIn(scopes: [.openID, .email])
        // end
        return session
    }
}
#endif
#endif

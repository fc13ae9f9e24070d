// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
import Foundation
import TesseraGoogleSignIn

/// Whether a user is signed in.
@MainActor final class AuthenticationViewModel: ObservableObject {
    enum State {
        case signedIn(GIDGoogleUser)
        case signedOut
    }

    @Published var state: State
    /// The last error, which the sample prints.
    @Published var problem: Error?

    private var authenticator: GoogleSignInAuthenticator { GoogleSignInAuthenticator(authViewModel: self) }

    init() {
        if let user = GIDSignIn.sharedInstance.currentUser {
            self.state = .signedIn(user)
        } else {
            self.state = .signedOut
        }
    }

    /// The claims in the ID token, or none if no user is signed in.
    var claims: [String: Any] {
        guard case .signedIn(let user) = self.state, let idToken = user.idToken?.tokenString else { return [:] }
        let segments = idToken.components(separatedBy: ".")
        guard segments.count > 1 else { return [:] }
        var base64 = segments[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while base64.count % 4 != 0 { base64 += "=" }
        guard let data = Data(base64Encoded: base64) else { return [:] }
        return (try? JSONSerialization.jsonObject(with: data, options: [])) as? [String: Any] ?? [:]
    }

    var authorizedScopes: [String] {
        switch self.state {
        case .signedIn(let user): return user.grantedScopes ?? []
        case .signedOut: return []
        }
    }

    var hasBirthdayReadScope: Bool { self.authorizedScopes.contains(BirthdayLoader.birthdayReadScope) }

    func signIn() { self.authenticator.signIn() }
    func signOut() { self.authenticator.signOut() }
    func disconnect() { self.authenticator.disconnect() }

    func addBirthdayReadScope(completion: @escaping () -> Void) {
        self.authenticator.addBirthdayReadScope(completion: completion)
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import TesseraGTMAppAuth

// guide: gtmoauth2
// imports: Foundation TesseraGTMAppAuth
final class CalendarAccess {
    private let store: KeychainStore
    private let session: AuthSession?

    init(store: KeychainStore = KeychainStore(itemName: "Example: Calendar")) throws {
        self.store = store
        self.session = try Self.session(in: store)
    }

    var email: String? { self.session?.userEmail }

    func authorize(_ request: NSMutableURLRequest, done: @escaping ((any Error)?) -> Void) {
        guard let session = self.session else { return done(CocoaError(.userCancelled)) }
        session.authorizeRequest(request, completionHandler: done)
    }

    func signOut() throws { try self.store.removeAuthSession() }

    /// Returns the stored session, converting GTMOAuth2's item on the first launch.
    private static func session(in store: KeychainStore) throws -> AuthSession? {
        do {
            return try store.retrieveAuthSession()
        } catch KeychainStore.Error.passwordNotFound {
            return nil
        } catch KeychainStore.Error.failedToConvertKeychainDataToAuthSession {
            let session = try store.retrieveAuthSessionForGoogleInGTMOAuth2Format(
                clientID: "1.apps.googleusercontent.com",
                clientSecret: "secret"
            )
            try store.save(authSession: session)
            return session
        }
    }
}
// end

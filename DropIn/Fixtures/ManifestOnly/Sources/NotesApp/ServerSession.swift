// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import AppAuth
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import GTMAppAuth

/// The session at the app's own server, which is stored in the keychain.
final class ServerSession: NSObject, AuthSessionDelegate {
    private let store = KeychainStore(itemName: "server")
    private(set) var session: AuthSession?

    var address: String? { self.session?.userEmail }

    func load() {
        self.session = try? self.store.retrieveAuthSession()
        self.session?.delegate = self
    }

    func use(_ state: OIDAuthState) throws {
        let session = AuthSession(authState: state)
        session.delegate = self
        try self.store.save(authSession: session)
        self.session = session
    }

    func forget() throws {
        self.session = nil
        try self.store.removeAuthSession()
    }

    /// Adds the access token to a request.
    func authorize(_ request: NSMutableURLRequest, completion: @escaping (Error?) -> Void) {
        guard let session = self.session, session.canAuthorize else {
            return completion(AuthSession.Error.cannotAuthorizeRequest(request as URLRequest))
        }
        session.authorizeRequest(request) { error in completion(error) }
    }

    func additionalTokenRefreshParameters(forAuthSession authSession: AuthSession) -> [String: String]? {
        ["audience": "notes"]
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth

// guide: gtmappauth
// imports: Foundation TesseraGTMAppAuth
// before-imports: AppAuth Foundation GTMAppAuth GTMSessionFetcherCore
@MainActor
final class Mailbox {
    private let store: KeychainStore
    private let service = GTMSessionFetcherService()
    private(set) var session: AuthSession?

    init(store: KeychainStore = KeychainStore(itemName: "authorization")) { self.store = store }

    func open() -> Bool {
        guard let session = try? self.store.retrieveAuthSession(), session.canAuthorize else { return false }
        self.use(session)
        return true
    }

    func signedIn(_ state: OIDAuthState) throws {
        let session = AuthSession(authState: state)
        try self.store.save(authSession: session)
        self.use(session)
    }

    func get(_ url: String, done: @escaping (Data?, (any Error)?) -> Void) {
        self.service.fetcher(withURLString: url).beginFetch(completionHandler: done)
    }

    func close() throws {
        self.session = nil
        self.service.authorizer = nil
        try self.store.removeAuthSession()
    }

    private func use(_ session: AuthSession) {
        self.session = session
        self.service.authorizer = session
    }
}
// end

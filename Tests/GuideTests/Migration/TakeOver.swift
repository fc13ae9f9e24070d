// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth

// guide: appauth-archive
// imports: Foundation TesseraGTMAppAuth
func takeOver(_ archive: Data, into store: KeychainStore) throws -> AuthSession? {
    guard let state = try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDAuthState.self, from: archive) else {
        return nil
    }
    let session = AuthSession(authState: state)
    try store.save(authSession: session)
    return session
}
// end

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth

// guide: appauth-archive
// imports: Foundation TesseraGTMAppAuth
func importArchive(_ archive: Data, into store: KeychainStore) throws -> AuthSession {
    let state = try AppAuthArchive.unarchive(OIDAuthState.self, from: archive)
    let session = AuthSession(authState: state)
    try store.save(authSession: session)
    return session
}
// end

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient
internal import Tessera
internal import TesseraDefaults
internal import TesseraFetch
internal import TesseraGoogle

/// The README's example, compiled and never run: it needs a person.
func readmeExample() async throws {
    let signIn = try await SignIn(.google(clientFile: "client_secret.json"))
    let session = try await signIn.restoreOrSignIn(scopes: [.openID, .email])

    let drive: Scope = "https://www.googleapis.com/auth/drive.readonly"
    if !session.grant.contains(drive) {
        let grant = try await signIn.addScopes([drive], to: session)
        guard grant.contains(drive) else { return print("You unticked Drive; there is nothing to list then.") }
    }

    let request = try HTTPRequest(url: "https://www.googleapis.com/drive/v3/files?pageSize=10")
    let files = try await session.fetcher.data(for: request)
    print(String(decoding: files, as: UTF8.self))

    try await session.disconnect()  // revokes at Google and forgets; signOut() only forgets
}
#endif

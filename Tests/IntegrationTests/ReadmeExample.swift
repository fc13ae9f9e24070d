// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import GoogleDriveV3
internal import Tessera
internal import TesseraDefaults
internal import TesseraGoogle

/// The README's example, compiled and never run: it needs a person.
func readmeExample() async throws {
    let signIn = try await SignIn(.google(clientFile: "client_secret.json"))
    let session = try await signIn.restoreOrSignIn(scopes: [.openID, .email])

    let scope = DriveV3.Scope.driveReadonly
    if !session.grant.contains(scope) {
        let grant = try await signIn.addScopes([scope], to: session)
        guard grant.contains(scope) else { return print("You unticked Drive; there is nothing to list then.") }
    }

    let drive = DriveV3(session: session)
    for try await file in drive.files.list(pageSize: 100).items { print(file.name ?? "–") }

    try await session.disconnect()  // revokes at Google and forgets; signOut() only forgets
}

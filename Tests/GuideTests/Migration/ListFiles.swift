// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraDefaults
internal import TesseraFetch
internal import TesseraGoogle
internal import TesseraOAuth

// guide: google-auth-library
// imports: Tessera TesseraDefaults TesseraFetch TesseraGoogle
func listFiles() async throws {
    let signIn = try await SignIn(.google(clientFile: "client_secret.json"))
    print(String(decoding: try await files(of: signIn), as: UTF8.self))
}

func files(of signIn: SignIn) async throws -> [UInt8] {
    let scopes: [Scope] = [.openID, .profile, "https://www.googleapis.com/auth/drive.readonly"]
    let session = try await signIn.restoreOrSignIn(scopes: scopes)
    let request = try HTTPRequest(url: "https://www.googleapis.com/drive/v3/files?pageSize=10")
    return try await session.fetcher.data(for: request)
}
// end

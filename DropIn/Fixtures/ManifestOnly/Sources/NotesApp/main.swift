// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import AppAuth
import Foundation
import GTMSessionFetcherCore

// Everything that needs neither a network nor a keychain.
let account = GoogleAccount(clientID: "notes.apps.googleusercontent.com")
let configuration = OIDServiceConfiguration(
    authorizationEndpoint: Server.url("authorize"),
    tokenEndpoint: Server.url("token")
)
let request = ServerSignIn.request(configuration)
print(request.authorizationRequestURL().absoluteString.contains("code_challenge="))

/// Returns the notes of a server without a network.
func fakeNotes() async throws -> Data {
    let service = GTMSessionFetcherService.mockFetcherService(withFakedData: Data("[]".utf8), fakedError: nil)
    return try await service.fetcher(with: Server.url("notes")).beginFetch()
}

let notes = try await fakeNotes()
print(account.name.isEmpty, String(decoding: notes, as: UTF8.self))

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraFetch
internal import TesseraGoogleAPI

/// Whose calls these are, and where they go.
struct Connection: Sendable {
    let account: Account
    let fetcher: AuthorizedFetcher
    let settings: APISettings

    /// A client of an API.
    func client<Client: APIClient>(_ type: Client.Type = Client.self) -> Client {
        Client(fetcher: self.fetcher, settings: self.settings)
    }
}

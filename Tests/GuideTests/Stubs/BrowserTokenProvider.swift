// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A stub of the google-auth-library-swift API that the guides call, so that their code compiles.
///
/// - SeeAlso: [google-auth-library-swift](https://github.com/googleapis/google-auth-library-swift)
final class BrowserTokenProvider {
    struct Token {
        var AccessToken: String?
    }

    var token: Token?

    init?(credentials: String, token tokenfile: String) throws { return nil }

    func signIn(scopes: [String]) throws {}
    func saveToken(_ filename: String) throws {}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Somebody else's API, declared for the guides' code to compile: google-auth-library-swift, as far as they call it.
///
/// It does nothing.
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

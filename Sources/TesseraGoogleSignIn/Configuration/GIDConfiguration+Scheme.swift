// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension GIDConfiguration {
    /// The redirect URI of a client for apps: its identifier, reversed, as a scheme.
    ///
    /// - Throws: ``GIDSignInError`` `invalidConfiguration` for an identifier that is none of Google's.
    /// - SeeAlso: [OAuth 2.0 for iOS and desktop apps](https://developers.google.com/identity/protocols/oauth2/native-app)
    func schemeRedirectURI() throws(GIDSignInError) -> String {
        let labels = self.clientID.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }) else {
            throw GIDSignInError(
                .invalidConfiguration,
                detail: "the client ID has to look like 123-abc.apps.googleusercontent.com"
            )
        }
        return labels.reversed().joined(separator: ".").lowercased() + ":/oauth2callback"
    }
}

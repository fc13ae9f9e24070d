// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

extension OAuthClient {
    /// Returns the redirect URI of a client of Google's type *iOS*, which is the one for macOS, too: the client ID, reversed,
    /// as a private scheme.
    ///
    /// Nothing has to be registered at Google for it. The app's Info.plist lists the scheme under `CFBundleURLTypes`.
    ///
    /// - Throws: `InvalidRequestError` for a client ID that does not look like Google's.
    /// - SeeAlso: [OAuth 2.0 for iOS and desktop apps](https://developers.google.com/identity/protocols/oauth2/native-app)
    public func googleAppRedirectURI() throws(InvalidRequestError) -> String {
        let labels = self.clientID.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }) else {
            throw InvalidRequestError("client ID", reason: "it has to look like 123-abc.apps.googleusercontent.com")
        }
        return labels.reversed().joined(separator: ".").lowercased() + ":/oauth2callback"
    }
}

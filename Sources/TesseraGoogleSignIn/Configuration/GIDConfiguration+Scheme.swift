// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogle
internal import TesseraOAuth

extension GIDConfiguration {
    /// The redirect URI of a client for apps.
    ///
    /// - Throws: ``GIDSignInError`` `invalidConfiguration` for a client ID that does not look like Google's.
    func schemeRedirectURI() throws(GIDSignInError) -> String {
        do {
            return try OAuthClient(clientID: self.clientID).googleAppRedirectURI()
        } catch {
            throw GIDSignInError(.invalidConfiguration, detail: error.description)
        }
    }
}

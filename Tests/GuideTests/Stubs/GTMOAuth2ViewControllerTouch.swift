// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A stub of the gtm-oauth2 API that the guides call, so that their code compiles.
///
/// - SeeAlso: [gtm-oauth2](https://github.com/google/gtm-oauth2)
enum GTMOAuth2ViewControllerTouch {
    static func authForGoogleFromKeychain(
        forName keychainItemName: String,
        clientID: String,
        clientSecret: String
    ) -> GTMOAuth2Authentication {
        GTMOAuth2Authentication()
    }

    @discardableResult
    static func removeAuthFromKeychain(forName keychainItemName: String) -> Bool { false }
}

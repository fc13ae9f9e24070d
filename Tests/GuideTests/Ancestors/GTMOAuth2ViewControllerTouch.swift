// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Somebody else's API, declared for the guides' code to compile: gtm-oauth2, as far as they call it.
///
/// It does nothing.
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

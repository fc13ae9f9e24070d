// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

extension AuthSession {
    /// Google's endpoints; its ID tokens are verified by its own name and keys.
    ///
    /// - SeeAlso: [Google's discovery document](https://accounts.google.com/.well-known/openid-configuration)
    public static func configurationForGoogle() -> OIDServiceConfiguration {
        OIDServiceConfiguration(
            authorizationEndpoint: self.url("https://accounts.google.com/o/oauth2/v2/auth"),
            tokenEndpoint: self.url("https://oauth2.googleapis.com/token")
        )
    }

    private static func url(_ text: StaticString) -> URL {
        guard let url = URL(string: "\(text)") else { preconditionFailure("\(text) is no URL") }
        return url
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
package import TesseraOAuth

/// Google's endpoints, copied from its discovery document to save a request during sign-in.
///
/// - SeeAlso: [Google's discovery document](https://accounts.google.com/.well-known/openid-configuration)
package enum GoogleEndpoints {
    package static let issuer = "https://accounts.google.com"
    /// The issuer without its scheme, as it appears in some of Google's ID tokens.
    package static let issuerAliases = ["accounts.google.com"]
    package static let authorizationEndpoint = "https://accounts.google.com/o/oauth2/v2/auth"
    package static let tokenEndpoint = "https://oauth2.googleapis.com/token"
    package static let jwksURI = "https://www.googleapis.com/oauth2/v3/certs"

    /// The origins of Google's APIs.
    package static let authorizedOrigins = ["https://*.googleapis.com"]

    static func metadata() throws -> ServerMetadata {
        try ServerMetadata([
            ("issuer", .string(Self.issuer)),
            ("authorization_endpoint", .string(Self.authorizationEndpoint)),
            ("device_authorization_endpoint", "https://oauth2.googleapis.com/device/code"),
            ("token_endpoint", .string(Self.tokenEndpoint)),
            ("userinfo_endpoint", "https://openidconnect.googleapis.com/v1/userinfo"),
            ("revocation_endpoint", "https://oauth2.googleapis.com/revoke"),
            ("jwks_uri", .string(Self.jwksURI)),
            ("code_challenge_methods_supported", ["plain", "S256"]),
            ("token_endpoint_auth_methods_supported", ["client_secret_post", "client_secret_basic"]),
            ("id_token_signing_alg_values_supported", ["RS256"]),
        ])
    }

    /// Returns whether a URL points to Google.
    package static func isGoogle(_ parts: URIParts) -> Bool {
        guard parts.scheme == "https", let host = parts.host else { return false }
        return host == "accounts.google.com" || host == "googleapis.com" || host.hasSuffix(".googleapis.com")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What the authorization endpoint gives: always a code, never an access token.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3](https://openid.net/specs/openid-connect-core-1_0.html#Authentication)
public enum ResponseType: String, Sendable, Hashable {
    /// A code.
    case code
    /// A code, and an ID token beside it that tells who answers before the code is used: the hybrid flow.
    case codeIDToken = "code id_token"

    /// How the answer comes when no ``ResponseMode`` is asked for.
    public var usualResponseMode: ResponseMode {
        switch self {
        case .code: .query
        case .codeIDToken: .fragment
        }
    }
}

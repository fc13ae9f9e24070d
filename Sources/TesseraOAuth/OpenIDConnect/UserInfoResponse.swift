// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// What a userinfo endpoint says: claims as they are, or in a token that the provider signed.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.3.2](https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse)
public enum UserInfoResponse: Sendable {
    /// The claims, about the right person.
    case plain(JSONValue)
    /// A token, and what it has to fit: ``KeySetCache/validate(_:policy:)`` turns it into claims.
    case signed(Secret, UserInfoPolicy)
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a request proves by the client's DPoP key, where the client has one.
///
/// - SeeAlso: [RFC 9449, sections 5, 7 and 10.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-5)
public enum DPoPUse: Sendable {
    /// Nothing: the request carries no proof.
    case none
    /// That the client has the key that tokens are to be bound to: at the token endpoint and for pushed requests.
    case possession
    /// That the client has the key that this access token is bound to: at a resource.
    case accessToken(Secret)
}

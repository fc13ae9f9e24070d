// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Whether the tokens of a sign-in are bound to a key that only this program has, so that stolen ones are worth nothing.
///
/// Decided at each sign-in: a session keeps the key, and the kind of token, that its sign-in brought.
///
/// - SeeAlso: [RFC 9449](https://www.rfc-editor.org/rfc/rfc9449.html)
public enum DPoPPolicy: String, Sendable, Hashable, CaseIterable {
    /// Bearer tokens.
    case never
    /// Bound tokens where the provider's metadata says that it takes proofs by ES256; bearer tokens elsewhere.
    ///
    /// A provider that says so and then answers with a bearer token is refused all the same.
    case whenSupported
    /// Bound tokens or none: where the provider's metadata do not say that it takes proofs by ES256 the sign-in fails before
    /// the browser opens.
    ///
    /// A provider that takes them and does not say so needs a `Provider.metadata` that does.
    case required
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE

/// What one kind of signed token has to fit: the signature first, then every claim.
///
/// ``JWTPolicy`` has what is common to all of them; ``IDTokenPolicy`` and its like stand on it.
/// ``KeySetCache/validate(_:policy:)`` supplies the keys.
///
/// - SeeAlso: [RFC 8725, section 3](https://www.rfc-editor.org/rfc/rfc8725.html#section-3)
public protocol TokenPolicy<Token>: Sendable {
    /// What a token is, once it has passed.
    associatedtype Token: Sendable

    /// Validates a token with the keys of its issuer.
    ///
    /// - Throws: `signingKey` when no key of the set fits, so that the caller may fetch the set once more; any other
    ///   `ProtocolViolationError` for the rule that is broken.
    func validate(_ token: Secret, keys: JWKSet, now: Date) throws(ProtocolViolationError) -> Token
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE

/// An ID token whose signature and claims were checked.
///
/// There is no public initializer: only ``IDTokenPolicy`` makes one.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
public struct ValidatedIDToken: Sendable {
    /// The token itself.
    public let token: Secret
    /// Its claims.
    public let claims: IDTokenClaims
    /// The provider, and the other spellings of `iss` that the policy takes for it.
    let issuer: String
    let issuerAliases: [String]

    /// Checks that a refresh speaks of the same person, client and sign-in as the token before.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 12.2](https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse)
    public func checkContinuity(from previous: IDTokenClaims) throws(ProtocolViolationError) {
        func require(_ holds: Bool, _ name: String) throws(ProtocolViolationError) {
            guard !holds else { return }
            throw ProtocolViolationError(
                .idTokenContinuity,
                expected: "\(name) as at sign-in",
                actual: "another",
                section: "OpenID Connect Core 1.0, section 12.2"
            )
        }
        let spellings = [self.claims.issuer, self.issuer] + self.issuerAliases
        try require(spellings.contains(where: previous.issuer.isExactly), "iss")
        try require(self.claims.subject.isExactly(previous.subject), "sub")
        try require(Self.codePoints(self.claims.audience) == Self.codePoints(previous.audience), "aud")
        if let before = previous.authenticationTime, let after = self.claims.authenticationTime {
            try require(before == after, "auth_time")
        }
        try require(self.claims.nonce.map { previous.nonce?.isExactly($0) ?? false } ?? true, "nonce")
    }

    private static func codePoints(_ texts: [String]) -> Set<[UInt8]> { Set(texts.map { Array($0.utf8) }) }
}

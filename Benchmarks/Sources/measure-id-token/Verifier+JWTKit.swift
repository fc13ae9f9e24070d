// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import JWTKit

extension Verifier {
    /// Creates a verifier that uses jwt-kit to check the signature and the claims that it supports.
    static func jwtKit(_ tokens: SignedTokens) async throws -> Verifier {
        let keys = try await JWTKeyCollection().add(jwksJSON: String(decoding: tokens.keySet, as: UTF8.self))
        let texts = tokens.texts
        return Verifier(name: "jwt-kit") { number in
            let claims = try await keys.verify(texts[number % texts.count], as: Claims.self)
            withExtendedLifetime(claims) {}
        }
    }
}

/// The claims that Tessera's policy also reads.
private struct Claims: JWTPayload {
    let iss: IssuerClaim
    let azp: String?
    let aud: AudienceClaim
    let sub: SubjectClaim
    let hd: String?
    let email: String?
    let email_verified: Bool?
    let at_hash: String?
    let nonce: String?
    let name: String?
    let picture: String?
    let iat: IssuedAtClaim
    let exp: ExpirationClaim

    func verify(using algorithm: some JWTAlgorithm) async throws {
        try self.exp.verifyNotExpired()
        try self.aud.verifyIntendedAudience(includes: SignedTokens.clientID)
        guard self.iss.value == SignedTokens.issuer, self.azp == SignedTokens.clientID,
            self.nonce == SignedTokens.nonce
        else {
            throw JWTError.generic(identifier: "claims", reason: "wrong issuer, client or nonce")
        }
    }
}

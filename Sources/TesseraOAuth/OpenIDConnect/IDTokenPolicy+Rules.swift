// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJOSE
internal import TesseraJSON

extension IDTokenPolicy {
    /// Rules 4 and 5: several audiences have one party that the token is for.
    func checkAuthorizedParty(_ claims: IDTokenClaims) throws {
        if claims.audience.count > 1, claims.authorizedParty == nil {
            throw ProtocolViolationError(
                .idTokenAuthorizedParty,
                expected: "azp beside several audiences",
                actual: "none"
            )
        }
        let parties = [self.clientID] + self.otherAuthorizedParties
        if let authorizedParty = claims.authorizedParty, !parties.contains(where: authorizedParty.isExactly) {
            throw ProtocolViolationError(
                .idTokenAuthorizedParty,
                expected: parties.count == 1 ? "azp to be this client" : "azp to be this client or one of its apps",
                actual: authorizedParty
            )
        }
        // A token for another client is taken by the one that asked for it, and by nobody else.
        if !claims.audience.contains(where: self.clientID.isExactly),
            claims.authorizedParty.map(self.clientID.isExactly) != true
        {
            throw ProtocolViolationError(
                .idTokenAuthorizedParty,
                expected: "azp to be this client, since aud is another",
                actual: claims.authorizedParty ?? "none"
            )
        }
    }

    /// Rule 11.
    func checkNonce(_ claims: IDTokenClaims) throws {
        let fits =
            switch self.nonce {
            case .equal(let expected):
                claims.nonce.map { nonce in expected.withUnredacted { ConstantTime.equal(nonce, $0) } } ?? false
            case .absent: claims.nonce == nil
            case .absentOrEqual(let original):
                claims.nonce.map { nonce in original?.withUnredacted { nonce.isExactly($0) } ?? false } ?? true
            case .unchecked: true
            }
        guard !fits else { return }
        throw ProtocolViolationError(
            .idTokenNonce,
            expected: "the nonce of the request",
            actual: claims.nonce == nil ? "none" : "another nonce"
        )
    }

    /// Rules 12 and 13.
    func checkAuthentication(_ claims: IDTokenClaims, now: Date) throws {
        if self.maxAge != nil || self.requiresAuthenticationTime, claims.authenticationTime == nil {
            throw ProtocolViolationError(
                .idTokenAuthenticationTime,
                expected: "auth_time, since it was asked for",
                actual: "none"
            )
        }
        if let maxAge, let time = claims.authenticationTime {
            let age = now.timeIntervalSince1970 - time
            let tolerance = Double(self.clockTolerance)
            guard age <= Double(maxAge) + tolerance, age >= -tolerance else {
                throw ProtocolViolationError(
                    .idTokenAuthenticationTime,
                    expected: "a sign-in at most \(maxAge) seconds ago",
                    actual: JWTPolicy.seconds(age)
                )
            }
        }
        guard
            self.essentialACRValues.isEmpty
                || self.essentialACRValues.contains(where: { claims.acr?.isExactly($0) ?? false })
        else {
            throw ProtocolViolationError(
                .idTokenAuthenticationContext,
                expected: "acr \(self.essentialACRValues.joined(separator: " or "))",
                actual: claims.acr ?? "none"
            )
        }
    }

    /// Sections 3.1.3.8 and 3.3.2.11: a hash that is there has to be right.
    func checkHashes(_ claims: IDTokenClaims, algorithm: JWSAlgorithm) throws {
        if self.requiresCodeHash, claims.codeHash == nil {
            throw ProtocolViolationError(
                .idTokenHash,
                expected: "c_hash beside a code",
                actual: "none",
                section: "OpenID Connect Core 1.0, section 3.3.2.11"
            )
        }
        try Self.checkHash("at_hash", of: self.accessToken, algorithm) { claims.accessTokenHash }
        try Self.checkHash("c_hash", of: self.code, algorithm) { claims.codeHash }
        try Self.checkHash("s_hash", of: self.state, algorithm) { claims.stateHash }
    }

    private static func checkHash(
        _ name: String,
        of secret: Secret?,
        _ algorithm: JWSAlgorithm,
        claim: () -> String?
    ) throws {
        guard let secret, let hash = claim() else { return }
        let fits = secret.withUnredacted { TokenHash.matches(hash, of: $0, algorithm: algorithm) }
        guard !fits else { return }
        throw ProtocolViolationError(.idTokenHash, expected: "\(name) to fit", actual: "another hash")
    }

    /// CIBA Core 1.0, section 10.3.1: the claim is there where the token was pushed; where it is there, it has to be ours.
    func checkAuthenticationRequest(_ claims: IDTokenClaims) throws {
        guard let expected = self.authenticationRequestID,
            let claim = claims.document["urn:openid:params:jwt:claim:auth_req_id"]
        else { return }
        let fits = claim.string.map { id in expected.withUnredacted { id.isExactly($0) } } ?? false
        guard !fits else { return }
        throw ProtocolViolationError(
            .idTokenAuthenticationRequest,
            expected: "the auth_req_id that was asked about",
            actual: "another"
        )
    }
}

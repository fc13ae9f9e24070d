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
    /// Checks the authorized party (rules 4 and 5 of section 3.1.3.7).
    func checkAuthorizedParty(_ claims: IDTokenClaims) throws {
        if claims.audience.count > 1, claims.authorizedParty == nil {
            throw ProtocolViolationError(
                .idTokenAuthorizedParty,
                expected: "azp in a token with several audiences",
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
        // A token for another client can be accepted only by the client that requested it.
        if !claims.audience.contains(where: self.clientID.isExactly),
            claims.authorizedParty.map(self.clientID.isExactly) != true
        {
            throw ProtocolViolationError(
                .idTokenAuthorizedParty,
                expected: "azp to be this client, because aud is another client",
                actual: claims.authorizedParty ?? "none"
            )
        }
    }

    /// Checks the nonce (rule 11 of section 3.1.3.7).
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
            expected: "the request's nonce",
            actual: claims.nonce == nil ? "none" : "another nonce"
        )
    }

    /// Checks the authentication context and the authentication time (rules 12 and 13 of section 3.1.3.7).
    func checkAuthentication(_ claims: IDTokenClaims, now: Date) throws {
        if self.maxAge != nil || self.requiresAuthenticationTime, claims.authenticationTime == nil {
            throw ProtocolViolationError(
                .idTokenAuthenticationTime,
                expected: "auth_time, because it was requested",
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

    /// Checks each hash that is present (sections 3.1.3.8 and 3.3.2.11).
    func checkHashes(_ claims: IDTokenClaims, algorithm: JWSAlgorithm) throws {
        if self.requiresCodeHash, claims.codeHash == nil {
            throw ProtocolViolationError(
                .idTokenHash,
                expected: "c_hash in an ID token that arrives with a code",
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
        throw ProtocolViolationError(.idTokenHash, expected: "\(name) to match", actual: "another hash")
    }

    /// Checks the request ID if it is present, as in pushed tokens (CIBA Core 1.0, section 10.3.1).
    func checkAuthenticationRequest(_ claims: IDTokenClaims) throws {
        guard let expected = self.authenticationRequestID,
            let claim = claims.document["urn:openid:params:jwt:claim:auth_req_id"]
        else { return }
        let fits = claim.string.map { id in expected.withUnredacted { id.isExactly($0) } } ?? false
        guard !fits else { return }
        throw ProtocolViolationError(
            .idTokenAuthenticationRequest,
            expected: "the request's auth_req_id",
            actual: "another auth_req_id"
        )
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJOSE

extension IDTokenPolicy {
    private static let core = "OpenID Connect Core 1.0, section 3.1.3.7"

    /// Rules 6 to 8 of the section; a token of another kind (`at+jwt`, `logout+jwt`) is no ID token.
    func checkHeader(_ header: JWSHeader) throws(ProtocolViolation) {
        guard self.algorithms.contains(header.algorithm), JWSAlgorithm.supported.contains(header.algorithm) else {
            throw ProtocolViolation(
                .jwsAlgorithm,
                expected: "a signature with one of \(self.algorithms.map(\.rawValue).joined(separator: ", "))",
                actual: header.algorithm.rawValue,
                section: Self.core
            )
        }
        guard let type = header.type?.lowercased(), type != "jwt" else { return }
        throw ProtocolViolation(
            .idTokenType,
            expected: "typ JWT or none",
            actual: type,
            section: "RFC 8725, section 3.11"
        )
    }

    /// Rules 2 to 5: who made it, for whom.
    func checkParties(_ claims: IDTokenClaims) throws(ProtocolViolation) {
        guard self.issuerSpellings.contains(where: claims.issuer.isExactly) else {
            throw ProtocolViolation(
                .idTokenIssuer,
                expected: "iss \"\(self.issuer.url)\"",
                actual: "\"\(claims.issuer)\"",
                section: Self.core
            )
        }
        guard claims.audience.contains(where: self.clientID.isExactly) else {
            throw ProtocolViolation(
                .idTokenAudience,
                expected: "aud with this client",
                actual: claims.audience.joined(separator: " "),
                section: Self.core
            )
        }
        if claims.audience.count > 1, claims.authorizedParty == nil {
            throw ProtocolViolation(
                .idTokenAuthorizedParty,
                expected: "azp beside several audiences",
                actual: "none",
                section: Self.core
            )
        }
        if let authorizedParty = claims.authorizedParty, !authorizedParty.isExactly(self.clientID) {
            throw ProtocolViolation(
                .idTokenAuthorizedParty,
                expected: "azp to be this client",
                actual: authorizedParty,
                section: Self.core
            )
        }
    }

    /// Rules 9 and 10, and `nbf`.
    func checkTimes(_ claims: IDTokenClaims, now: Date) throws(ProtocolViolation) {
        let now = now.timeIntervalSince1970
        let tolerance = Double(self.clockTolerance)
        guard claims.expiresAt + tolerance > now else {
            throw Self.time("exp in the future", claims.expiresAt, now)
        }
        guard claims.issuedAt - tolerance <= now else {
            throw Self.time("iat not ahead of the clock", claims.issuedAt, now)
        }
        guard claims.issuedAt + Double(self.issuedAtLimit) + tolerance >= now else {
            throw Self.time("iat at most \(self.issuedAtLimit) seconds ago", claims.issuedAt, now)
        }
        if let notBefore = claims.notBefore, notBefore - tolerance > now {
            throw Self.time("nbf not ahead of the clock", notBefore, now)
        }
    }

    /// Rule 11.
    func checkNonce(_ claims: IDTokenClaims) throws(ProtocolViolation) {
        let fits =
            switch self.nonce {
            case .equal(let expected):
                claims.nonce.map { nonce in expected.withUnredacted { ConstantTime.equal(nonce, $0) } } ?? false
            case .absent: claims.nonce == nil
            case .absentOrEqual(let original): claims.nonce.map { original?.isExactly($0) ?? false } ?? true
            }
        guard !fits else { return }
        throw ProtocolViolation(
            .idTokenNonce,
            expected: "the nonce of the request",
            actual: claims.nonce == nil ? "none" : "another nonce",
            section: Self.core
        )
    }

    /// Rules 12 and 13.
    func checkAuthentication(_ claims: IDTokenClaims, now: Date) throws(ProtocolViolation) {
        if let maxAge {
            guard let time = claims.authenticationTime else {
                throw ProtocolViolation(
                    .idTokenAuthenticationTime,
                    expected: "auth_time, since max_age was asked for",
                    actual: "none",
                    section: Self.core
                )
            }
            let age = now.timeIntervalSince1970 - time
            let tolerance = Double(self.clockTolerance)
            guard age <= Double(maxAge) + tolerance, age >= -tolerance else {
                throw ProtocolViolation(
                    .idTokenAuthenticationTime,
                    expected: "a sign-in at most \(maxAge) seconds ago",
                    actual: Self.seconds(age),
                    section: Self.core
                )
            }
        }
        guard
            self.essentialACRValues.isEmpty
                || self.essentialACRValues.contains(where: { claims.acr?.isExactly($0) ?? false })
        else {
            throw ProtocolViolation(
                .idTokenAuthenticationContext,
                expected: "acr \(self.essentialACRValues.joined(separator: " or "))",
                actual: claims.acr ?? "none",
                section: Self.core
            )
        }
    }

    /// Sections 3.1.3.8 and 3.3.2.11: a hash that is there has to be right.
    func checkHashes(_ claims: IDTokenClaims, algorithm: JWSAlgorithm) throws(ProtocolViolation) {
        for (name, hash, secret) in [
            ("at_hash", claims.accessTokenHash, self.accessToken), ("c_hash", claims.codeHash, self.code),
        ] {
            guard let hash, let secret else { continue }
            let fits = secret.withUnredacted { TokenHash.matches(hash, of: $0, algorithm: algorithm) }
            guard !fits else { continue }
            throw ProtocolViolation(
                .idTokenHash,
                expected: "\(name) to fit",
                actual: "another hash",
                section: "OpenID Connect Core 1.0, section 3.1.3.8"
            )
        }
    }

    private static func time(_ expected: String, _ value: Double, _ now: Double) -> ProtocolViolation {
        let difference = value - now
        let actual = Self.seconds(abs(difference)) + (difference < 0 ? " ago" : " ahead") + " by this machine's clock"
        return ProtocolViolation(.idTokenTime, expected: expected, actual: actual, section: Self.core)
    }

    private static func seconds(_ value: Double) -> String {
        Int64(exactly: value.rounded()).map { "\($0) s" } ?? "out of range"
    }
}

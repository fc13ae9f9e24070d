// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJOSE

extension JWTPolicy {
    /// Checks that the algorithm and the type are acceptable (RFC 8725, sections 3.1 and 3.11).
    func checkHeader(_ header: JWSHeader) throws {
        guard self.algorithms.contains(header.algorithm), JWSAlgorithm.supported.contains(header.algorithm) else {
            let names = self.algorithms.map(\.rawValue).joined(separator: ", ")
            throw ProtocolViolationError(
                .jwsAlgorithm,
                expected: names.isEmpty
                    ? "a signature with an algorithm that both the provider and this client support (none in common)"
                    : "a signature with one of \(names)",
                actual: header.algorithm.rawValue
            )
        }
        guard let type = header.type?.lowercased() else {
            if self.requiresType { throw self.wrongType("none") }
            return
        }
        if self.types.contains(type) { return }
        // RFC 7515, section 4.1.9: A type without a slash is an abbreviation of the type with `application/` before it.
        let prefix = "application/"
        guard type.hasPrefix(prefix), self.types.contains(String(type.dropFirst(prefix.count))) else {
            throw self.wrongType(type)
        }
    }

    private func wrongType(_ actual: String) -> ProtocolViolationError {
        ProtocolViolationError(
            .jwtType,
            expected: "typ \(self.types.joined(separator: " or "))\(self.requiresType ? "" : " or none")",
            actual: actual
        )
    }

    /// Returns the only key that can have produced the signature.
    func key(for header: JWSHeader, in keys: JWKSet) throws -> JWK {
        let candidates = keys.candidates(for: header)
        guard let key = candidates.first else {
            throw ProtocolViolationError(
                .signingKey,
                expected: "a key of the provider for \(header.algorithm.rawValue)",
                actual: header.keyID.map { "no matching key with ID \"\($0)\"" } ?? "no matching key"
            )
        }
        guard candidates.count == 1 else {
            throw ProtocolViolationError(
                .signingKey,
                expected: "exactly one matching key",
                actual: "\(candidates.count)"
            )
        }
        return key
    }

    /// Checks the issuer and the audience.
    func checkParties(_ claims: JWTClaims) throws {
        guard self.issuer.url.isExactly(claims.issuer) || self.issuerAliases.contains(where: claims.issuer.isExactly)
        else {
            throw ProtocolViolationError(
                .jwtIssuer,
                expected: "iss \"\(self.issuer.url)\" in \(self.name)",
                actual: "\"\(claims.issuer)\"",
                section: self.section
            )
        }
        guard claims.audience.contains(where: { audience in self.audiences.contains(where: audience.isExactly) }) else {
            throw ProtocolViolationError(
                .jwtAudience,
                expected: "aud in \(self.name) to include \(self.audiences.joined(separator: " or "))",
                actual: claims.audience.joined(separator: " "),
                section: self.section
            )
        }
    }

    /// Checks each of `exp`, `iat` and `nbf` that is present.
    func checkTimes(_ claims: JWTClaims, now: Date) throws {
        let now = now.timeIntervalSince1970
        let tolerance = Double(self.clockTolerance)
        if let expiresAt = claims.expiresAt, expiresAt + tolerance <= now {
            throw self.time("exp in the future", expiresAt, now)
        }
        if let issuedAt = claims.issuedAt {
            guard issuedAt - tolerance <= now else { throw self.time("iat in the past", issuedAt, now) }
            if let limit = self.issuedAtLimit, issuedAt + Double(limit) + tolerance < now {
                throw self.time("iat at most \(limit) seconds ago", issuedAt, now)
            }
        }
        if let notBefore = claims.notBefore, notBefore - tolerance > now {
            throw self.time("nbf in the past", notBefore, now)
        }
    }

    private func time(_ expected: String, _ value: Double, _ now: Double) -> ProtocolViolationError {
        let difference = value - now
        let actual = Self.seconds(abs(difference)) + (difference < 0 ? " ago" : " ahead") + " by this machine's clock"
        return ProtocolViolationError(.jwtTime, expected: expected, actual: actual, section: self.section)
    }

    /// Returns a description of a time span of any size.
    static func seconds(_ value: Double) -> String {
        Int64(exactly: value.rounded()).map { "\($0) s" } ?? "out of range"
    }

    /// Returns a signed token and its parts, decrypting the token first if necessary.
    ///
    /// Encryption does not authenticate the issuer, so the decrypted token is validated like any other token. Nested
    /// encryption is rejected.
    func signed(_ token: Secret) throws -> (token: Secret, jws: CompactJWS) {
        do {
            return (token, try token.withUnredacted(CompactJWS.init(parsing:)))
        } catch ProtocolViolationError.Rule.jweUnsupported {
            let inner = try self.decrypted(token)
            return (inner, try inner.withUnredacted(CompactJWS.init(parsing:)))
        }
    }

    private func decrypted(_ token: Secret) throws -> Secret {
        guard let decrypt else {
            throw ProtocolViolationError(
                .jweUnsupported,
                expected: "a signed token, not an encrypted one (JWE), because no decryption is configured",
                actual: "5 parts"
            )
        }
        do {
            return try decrypt(token)
        } catch {
            throw ProtocolViolationError(
                .jweDecryption,
                expected: "a token encrypted for this client",
                actual: "\(type(of: error))"
            )
        }
    }
}

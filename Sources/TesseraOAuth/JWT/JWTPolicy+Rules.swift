// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJOSE

extension JWTPolicy {
    /// RFC 8725, sections 3.1 and 3.11: no algorithm but those chosen beforehand, no token of another kind.
    func checkHeader(_ header: JWSHeader) throws {
        guard self.algorithms.contains(header.algorithm), JWSAlgorithm.supported.contains(header.algorithm) else {
            let names = self.algorithms.map(\.rawValue).joined(separator: ", ")
            throw ProtocolViolationError(
                .jwsAlgorithm,
                expected: names.isEmpty
                    ? "a signature with an algorithm that both the provider's metadata and this client accept; there is none"
                    : "a signature with one of \(names)",
                actual: header.algorithm.rawValue
            )
        }
        guard let type = header.type?.lowercased() else {
            if self.requiresType { throw self.wrongType("none") }
            return
        }
        if self.types.contains(type) { return }
        // RFC 7515, section 4.1.9: a type without a slash stands for one with application/ before it.
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

    /// The one key that may have made the signature.
    func key(for header: JWSHeader, in keys: JWKSet) throws -> JWK {
        let candidates = keys.candidates(for: header)
        guard let key = candidates.first else {
            throw ProtocolViolationError(
                .signingKey,
                expected: "a key of the provider for \(header.algorithm.rawValue)",
                actual: header.keyID.map { "no such key of ID \"\($0)\"" } ?? "no such key"
            )
        }
        guard candidates.count == 1 else {
            throw ProtocolViolationError(
                .signingKey,
                expected: "exactly one fitting key",
                actual: "\(candidates.count)"
            )
        }
        return key
    }

    /// Who made it, for whom.
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
                expected: "aud with \(self.audiences.joined(separator: " or ")) in \(self.name)",
                actual: claims.audience.joined(separator: " "),
                section: self.section
            )
        }
    }

    /// `exp`, `iat` and `nbf`, each where it is there.
    func checkTimes(_ claims: JWTClaims, now: Date) throws {
        let now = now.timeIntervalSince1970
        let tolerance = Double(self.clockTolerance)
        if let expiresAt = claims.expiresAt, expiresAt + tolerance <= now {
            throw self.time("exp in the future", expiresAt, now)
        }
        if let issuedAt = claims.issuedAt {
            guard issuedAt - tolerance <= now else { throw self.time("iat not ahead of the clock", issuedAt, now) }
            if let limit = self.issuedAtLimit, issuedAt + Double(limit) + tolerance < now {
                throw self.time("iat at most \(limit) seconds ago", issuedAt, now)
            }
        }
        if let notBefore = claims.notBefore, notBefore - tolerance > now {
            throw self.time("nbf not ahead of the clock", notBefore, now)
        }
    }

    private func time(_ expected: String, _ value: Double, _ now: Double) -> ProtocolViolationError {
        let difference = value - now
        let actual = Self.seconds(abs(difference)) + (difference < 0 ? " ago" : " ahead") + " by this machine's clock"
        return ProtocolViolationError(.jwtTime, expected: expected, actual: actual, section: self.section)
    }

    /// A time span as text, whatever its size.
    static func seconds(_ value: Double) -> String {
        Int64(exactly: value.rounded()).map { "\($0) s" } ?? "out of range"
    }

    /// The token and its parts, or those of the one that is encrypted in it.
    ///
    /// Encryption proves nothing about who made a token, so what comes out is looked at like any other; one that is
    /// encrypted again is refused then.
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
                expected: "a signed token; this one is encrypted (JWE), and no decryption was given",
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

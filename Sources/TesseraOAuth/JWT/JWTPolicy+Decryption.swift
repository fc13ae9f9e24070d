// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

extension JWTPolicy {
    /// The token and its parts, or those of the one that is encrypted in it.
    ///
    /// Encryption proves nothing about who made a token, so what comes out is looked at like any other; one that is
    /// encrypted again is refused then.
    func signed(_ token: Secret) throws(ProtocolViolationError) -> (token: Secret, jws: CompactJWS) {
        do throws(ProtocolViolationError) {
            return (token, try Self.parts(of: token))
        } catch {
            guard error.rule == .jweUnsupported else { throw error }
            let inner = try self.decrypted(token)
            return (inner, try Self.parts(of: inner))
        }
    }

    private static func parts(of token: Secret) throws(ProtocolViolationError) -> CompactJWS {
        try token.withUnredacted { (text) throws(ProtocolViolationError) in try CompactJWS(parsing: text) }
    }

    private func decrypted(_ token: Secret) throws(ProtocolViolationError) -> Secret {
        guard let decrypt else {
            throw ProtocolViolationError(
                .jweUnsupported,
                expected: "a signed token; this one is encrypted (JWE), and no decryption was given",
                actual: "5 parts",
                section: "RFC 7516, section 3.1"
            )
        }
        do {
            return try decrypt(token)
        } catch {
            throw ProtocolViolationError(
                .jweDecryption,
                expected: "a token encrypted for this client",
                actual: "\(type(of: error))",
                section: "OpenID Connect Core 1.0, section 10.2"
            )
        }
    }
}

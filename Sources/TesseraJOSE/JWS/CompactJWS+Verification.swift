// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

extension CompactJWS {
    /// Returns only if the signature is the key's, by the algorithm of the header.
    ///
    /// The caller decides beforehand which algorithms it accepts at all; a key is never used with an algorithm that
    /// is not for its type and curve, nor against its own `alg`, `use` or `key_ops`.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwsAlgorithm` or `jwsSignature`.
    /// - SeeAlso: [RFC 8725, section 3.1](https://www.rfc-editor.org/rfc/rfc8725.html#section-3.1)
    public func verify(with key: JWK) throws(ProtocolViolationError) {
        let algorithm = self.header.algorithm
        guard key.canVerify(algorithm) else {
            throw ProtocolViolationError(
                .jwsAlgorithm,
                expected: "an algorithm for the key",
                actual: algorithm.rawValue,
                section: "RFC 8725, section 3.1"
            )
        }
        guard key.material.isValid(self.signature, for: self.signingInput, by: algorithm) else {
            throw ProtocolViolationError(
                .jwsSignature,
                expected: "a signature by the provider's key",
                section: "RFC 7515, section 5.2"
            )
        }
    }

    /// The payload as a set of claims; verify first.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwtClaims` when the payload is no JSON object, or has two members of one
    ///   name.
    public func claims() throws(ProtocolViolationError) -> JSONValue {
        let claims: JSONValue
        do {
            claims = try JSONValue(parsing: self.payload)
        } catch {
            throw Self.claimsViolation(error.description)
        }
        guard claims.kind == .object else { throw Self.claimsViolation(claims.description) }
        return claims
    }

    private static func claimsViolation(_ actual: String) -> ProtocolViolationError {
        ProtocolViolationError(
            .jwtClaims,
            expected: "a JSON object with distinct members as payload",
            actual: actual,
            section: "RFC 7519, sections 4 and 7.2"
        )
    }
}

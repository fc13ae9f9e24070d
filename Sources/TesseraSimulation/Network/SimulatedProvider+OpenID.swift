// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

extension SimulatedProvider {
    /// The path of the public keys.
    static let keysPath = "/keys"

    /// Replaces the key that signs ID tokens.
    func rotateKeys() {
        self.state.withLock { $0.keyRotations += 1 }
        self.simulation.record(.keysRotated, by: .provider)
    }

    /// Responds with the public keys, which are the current one and the previous one.
    func keys() -> SimulatedResponse {
        let rotations = self.state.withLock { $0.keyRotations }
        let keys = (max(0, rotations - 1)...rotations).map { SimulatedKeys.key(after: $0).publicJWK }
        return SimulatedResponse(.ok, JSONNode.object([JSONMember(name: "keys", value: .array(keys))]).text())
    }

    /// Signs an ID token for a token response.
    ///
    /// - Parameters:
    ///   - access: The access token of the response.
    ///   - nonce: The nonce of the authorization request, or nil in the response to a refresh.
    /// - Returns: The member of the response, or an empty text if the issuer has no ID tokens.
    func idTokenMember(with access: SimulatedToken, nonce: String? = nil) -> String {
        let issuer = SimulatedIssuer(of: access.subject)
        guard issuer == .openID else { return "" }
        let key = SimulatedKeys.key(after: self.state.withLock { $0.keyRotations })
        let time = Int64(self.simulation.date(offsetBy: 0).timeIntervalSince1970)
        let hash = TokenHash.compute(of: "\(access)", algorithm: key.algorithm) ?? ""
        // The clocks of machines differ from the right time by up to an hour.
        let claims = """
            {"iss": "\(issuer.url)", "sub": "\(issuer.subject(of: access.subject))", "aud": "\(Self.clientID)", \
            "iat": \(time), "exp": \(time + 7_200), "at_hash": "\(hash)"\(nonce.map { #", "nonce": "\#($0)""# } ?? "")}
            """
        guard let token = try? key.sign(payload: Array(claims.utf8)) else { return "" }
        return #", "id_token": "\#(token)""#
    }
}

/// The keys that sign ID tokens, which are the same in all simulations.
///
/// Signatures with P-256 take the least time.
enum SimulatedKeys {
    private static let keys = (UInt8(1)...8).map(Self.make)

    /// Returns the key after a number of rotations.
    static func key(after rotations: Int) -> JWSSigningKey { self.keys[rotations % self.keys.count] }

    /// Returns the key whose private key consists of equal bytes.
    ///
    /// - SeeAlso: [RFC 5915, section 3](https://www.rfc-editor.org/rfc/rfc5915.html#section-3)
    private static func make(_ byte: UInt8) -> JWSSigningKey {
        let prefix: [UInt8] = [0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20]
        let text = Base64.encode(prefix + [UInt8](repeating: byte, count: 32))
        let pem = "-----BEGIN EC PRIVATE KEY-----\n\(text)\n-----END EC PRIVATE KEY-----\n"
        guard let key = try? JWSSigningKey(pem: pem) else { preconditionFailure("The key is valid.") }
        return key
    }
}

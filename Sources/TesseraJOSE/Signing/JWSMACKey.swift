// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
public import TesseraJSON

/// A secret that the client and server share, for authenticating the client's messages with HMAC.
///
/// `TesseraOAuth` uses a key only for `client_secret_jwt`. A provider's tokens are never verified with HMAC, and
/// ``JWSAlgorithm/supported`` does not contain it. `CompactJWS.verify(with:)` verifies a token with a key that
/// the caller chooses. The key's description does not reveal the secret.
///
/// - SeeAlso: [RFC 7518, section 3.2](https://www.rfc-editor.org/rfc/rfc7518.html#section-3.2)
public struct JWSMACKey: Sendable {
    /// An HMAC algorithm.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// HMAC with SHA-256.
        case hs256 = "HS256"
        /// HMAC with SHA-384.
        case hs384 = "HS384"
        /// HMAC with SHA-512.
        case hs512 = "HS512"

        /// The length of the hash, in bytes.
        var hashLength: Int {
            switch self {
            case .hs256: SHA256.byteCount
            case .hs384: SHA384.byteCount
            case .hs512: SHA512.byteCount
            }
        }
    }

    /// The algorithm of the key.
    public let algorithm: Algorithm
    /// The ID of the key (`kid`), or nil (the default) to omit it.
    public var keyID: String?
    /// Whether the secret is at least as long as the hash, as the standard requires.
    ///
    /// A shorter secret still works, because the server may not have issued a longer one, but the caller should log a
    /// warning.
    public let isLongEnough: Bool

    private let key: SymmetricKey

    /// Creates a key from the bytes of a secret.
    ///
    /// For a client secret, use its UTF-8 bytes. A key with an empty secret can sign but verifies no token.
    public init(secret: [UInt8], algorithm: Algorithm = .hs256) {
        self.key = SymmetricKey(data: secret)
        self.algorithm = algorithm
        self.isLongEnough = secret.count >= algorithm.hashLength
    }

    /// Returns an authenticated token in compact form.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - type: The type of the token (`typ`).
    ///   - header: Additional header members, which can replace `alg`, `kid` and `typ`. The key always uses its own
    ///     algorithm, even if `alg` is replaced.
    /// - Returns: The token.
    public func sign(payload: [UInt8], type: String? = nil, header: [JSONMember] = []) -> String {
        let members = JWSHeader.members(
            algorithm: self.algorithm.rawValue,
            keyID: self.keyID,
            type: type,
            replacedBy: header
        )
        return self.sign(payload: payload, headerText: JSONNode.object(members).text())
    }

    /// Returns an authenticated token with exactly this header, even if it is not valid, for testing token parsers.
    package func sign(payload: [UInt8], headerText: String) -> String {
        let input = Base64URL.encode(headerText.utf8) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(self.code(over: Array(input.utf8)))
    }

    /// Returns whether a token was authenticated with this key and algorithm.
    ///
    /// The result is false if the secret is empty, because anyone can compute such a code.
    package func isSigner(of jws: CompactJWS) -> Bool {
        guard self.key.bitCount > 0, jws.header.algorithm.rawValue == self.algorithm.rawValue else { return false }
        let (code, input) = (jws.signature, jws.signingInput)
        return switch self.algorithm {
        case .hs256: HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: input, using: self.key)
        case .hs384: HMAC<SHA384>.isValidAuthenticationCode(code, authenticating: input, using: self.key)
        case .hs512: HMAC<SHA512>.isValidAuthenticationCode(code, authenticating: input, using: self.key)
        }
    }

    private func code(over input: [UInt8]) -> [UInt8] {
        switch self.algorithm {
        case .hs256: Array(HMAC<SHA256>.authenticationCode(for: input, using: self.key))
        case .hs384: Array(HMAC<SHA384>.authenticationCode(for: input, using: self.key))
        case .hs512: Array(HMAC<SHA512>.authenticationCode(for: input, using: self.key))
        }
    }
}

extension JWSMACKey: Redacted {
    /// A description that contains the algorithm and the key ID but not the secret.
    public var description: String { "secret for \(self.algorithm.rawValue) \(self.keyID ?? "without a key ID")" }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
public import TesseraJSON

/// A secret that client and server share and that authenticates what the client sends, by HMAC.
///
/// It is for `client_secret_jwt` alone: tokens of a provider are never verified by HMAC, and ``JWSAlgorithm/supported``
/// has none. Its description never shows the secret.
///
/// - SeeAlso: [RFC 7518, section 3.2](https://www.rfc-editor.org/rfc/rfc7518.html#section-3.2)
public struct JWSMACKey: Sendable {
    /// The algorithms; none of them is a ``JWSAlgorithm`` that is verified here.
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

    /// The algorithm that it authenticates by.
    public let algorithm: Algorithm
    /// The key's name, sent as `kid`; none unless set.
    public var keyID: String?
    /// Whether the secret is at least as long as the hash, as the standard wants it; a client that was given a shorter
    /// one has no other, so it is used, and it is for the caller to warn.
    public let isLongEnough: Bool

    private let key: SymmetricKey

    /// A key of these bytes: of a client secret, its UTF-8.
    public init(secret: [UInt8], algorithm: Algorithm = .hs256) {
        self.key = SymmetricKey(data: secret)
        self.algorithm = algorithm
        self.isLongEnough = secret.count >= algorithm.hashLength
    }

    /// Authenticates a payload and gives the token in compact form.
    ///
    /// - Parameters:
    ///   - payload: What is authenticated, as it is.
    ///   - type: What kind of token it is, sent as `typ`.
    ///   - header: Further members of the header; one of the same name replaces `alg`, `kid` or `typ`. The key
    ///     authenticates by its own algorithm whatever `alg` then says.
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

    /// Authenticates a payload under exactly this header, valid or not: for tests of those who read tokens.
    package func sign(payload: [UInt8], headerText: String) -> String {
        let input = Base64URL.encode(headerText.utf8) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(self.code(over: Array(input.utf8)))
    }

    /// Whether this key made the token, by this algorithm: for servers that clients authenticate to.
    package func isSigner(of jws: CompactJWS) -> Bool {
        guard jws.header.algorithm.rawValue == self.algorithm.rawValue else { return false }
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
    /// Only the algorithm and the name.
    public var description: String { "secret for \(self.algorithm.rawValue) \(self.keyID ?? "without a name")" }
}

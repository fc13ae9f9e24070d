// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// The public keys of a provider, as it publishes them.
///
/// - SeeAlso: [RFC 7517, section 5](https://www.rfc-editor.org/rfc/rfc7517.html#section-5)
public struct JWKSet: Sendable, Hashable {
    /// The most keys that a set may have; more make it unreadable.
    public static let maximumCount = 200

    /// The keys that can be used, in the order of the set.
    public let keys: [JWK]
    /// How many keys were left out: of a type or curve that is not supported, malformed, too small, or off the curve.
    ///
    /// One bad key does not spoil the others (RFC 7517, section 5).
    public let ignoredCount: Int

    /// A set of the given keys.
    public init(keys: [JWK]) {
        self.keys = keys
        self.ignoredCount = 0
    }

    /// Reads a set.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwkSetFormat` when it is no JSON object, has two members of one name
    ///   anywhere, `keys` is no array of objects, or has more than ``maximumCount`` elements.
    public init(parsing bytes: [UInt8]) throws(ProtocolViolationError) {
        let set: JSONValue
        do {
            set = try JSONValue(parsing: bytes, limits: JSONLimits(maximumDepth: 32, maximumBytes: 1 << 20))
        } catch {
            throw Self.violation("a JSON object with keys", error.explanation(of: bytes))
        }
        guard let elements = set["keys"]?.elements, elements.allSatisfy({ $0.kind == .object }) else {
            throw Self.violation("keys as an array of objects", set["keys"]?.description ?? set.description)
        }
        guard elements.count <= Self.maximumCount else {
            throw Self.violation("at most \(Self.maximumCount) keys", "\(elements.count)")
        }
        self.keys = elements.compactMap { try? JWK(parsing: $0) }
        self.ignoredCount = elements.count - self.keys.count
    }

    /// The keys that may have made a signature with that header.
    ///
    /// They fit the algorithm by `kty`, `crv`, `alg`, `use` and `key_ops`. A header with `kid` gets only the keys of
    /// exactly this name: a key without a name is no candidate then. A header without `kid` gets all that fit, and
    /// the caller refuses when there are several. A key that is published twice is given once.
    public func candidates(for header: JWSHeader) -> [JWK] {
        var candidates: [JWK] = []
        for place in self.keys.indices
        where self.isCandidate(place, for: header)
            && !candidates.contains(where: { $0.thumbprint == self.keys[place].thumbprint })
        {
            candidates.append(self.keys[place])
        }
        return candidates
    }

    private func isCandidate(_ place: Int, for header: JWSHeader) -> Bool {
        (header.keyID == nil || self.keys[place].keyID == header.keyID)
            && self.keys[place].canVerify(header.algorithm)
    }

    private static func violation(_ expected: String, _ actual: String) -> ProtocolViolationError {
        ProtocolViolationError(.jwkSetFormat, expected: expected, actual: actual)
    }
}

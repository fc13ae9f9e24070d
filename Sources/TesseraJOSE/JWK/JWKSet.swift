// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// A set of public keys that a provider publishes.
///
/// - SeeAlso: [RFC 7517, section 5](https://www.rfc-editor.org/rfc/rfc7517.html#section-5)
public struct JWKSet: Sendable, Hashable {
    /// The maximum number of keys in a set.
    ///
    /// Larger sets are rejected.
    public static let maximumCount = 200

    /// The usable keys in document order.
    public let keys: [JWK]
    /// The number of keys that were ignored.
    ///
    /// A key is ignored if it is malformed, too small or not on its curve, or has an unsupported type or curve. It does
    /// not affect the other keys (RFC 7517, section 5).
    public let ignoredCount: Int

    /// Creates a set from keys.
    public init(keys: [JWK]) {
        self.keys = keys
        self.ignoredCount = 0
    }

    /// Creates a set from a JSON document.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwkSetFormat` if the document is not a JSON object, contains
    ///   duplicate member names, does not have an array of objects in `keys`, or has more than ``maximumCount`` keys.
    public init(parsing bytes: [UInt8]) throws(ProtocolViolationError) {
        let set: JSONValue
        do {
            set = try JSONValue(parsing: bytes, limits: JSONLimits(maximumDepth: 32, maximumBytes: 1 << 20))
        } catch {
            throw Self.violation("a JSON object that contains keys", error.explanation(of: bytes))
        }
        guard let elements = set["keys"]?.elements, elements.allSatisfy({ $0.kind == .object }) else {
            throw Self.violation("keys to be an array of objects", set["keys"]?.description ?? set.description)
        }
        guard elements.count <= Self.maximumCount else {
            throw Self.violation("at most \(Self.maximumCount) keys", "\(elements.count)")
        }
        self.keys = elements.compactMap { try? JWK(parsing: $0) }
        self.ignoredCount = elements.count - self.keys.count
    }

    /// Returns the keys that could have produced a signature with the given header.
    ///
    /// The `kty`, `crv`, `alg`, `use` and `key_ops` of a key must match the algorithm. If the header has a `kid`, the
    /// key must have exactly that `kid`. Otherwise, all matching keys are returned, and the caller must reject more
    /// than one. A key that is published twice is returned only once.
    public func candidates(for header: JWSHeader) -> [JWK] {
        var candidates: [JWK] = []
        for location in self.keys.indices
        where self.isCandidate(location, for: header)
            && !candidates.contains(where: { $0.thumbprint == self.keys[location].thumbprint })
        {
            candidates.append(self.keys[location])
        }
        return candidates
    }

    private func isCandidate(_ location: Int, for header: JWSHeader) -> Bool {
        (header.keyID == nil || self.keys[location].keyID == header.keyID)
            && self.keys[location].canVerify(header.algorithm)
    }

    private static func violation(_ expected: String, _ actual: String) -> ProtocolViolationError {
        ProtocolViolationError(.jwkSetFormat, expected: expected, actual: actual)
    }
}

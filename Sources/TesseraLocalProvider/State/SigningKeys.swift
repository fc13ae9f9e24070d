// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJOSE

/// The keys that sign ID tokens: the newest signs, older ones stay published for a while.
struct SigningKeys: Sendable {
    /// How long a replaced key stays published, in seconds.
    static let retention: Int64 = 7200

    private(set) var current: JWSSigningKey
    private var retired: [(key: JWSSigningKey, until: Int64)] = []

    init(algorithm: JWSAlgorithm) throws { self.current = try JWSSigningKey.generate(algorithm) }

    /// Takes a new key; the old one stays published until its time is over, or is gone at once.
    mutating func rotate(to key: JWSSigningKey, at now: Int64, keepingOld: Bool) {
        self.retired.removeAll { $0.until <= now || !keepingOld }
        if keepingOld { self.retired.append((self.current, now + Self.retention)) }
        self.current = key
    }

    /// The keys that verify, newest first.
    func published(at now: Int64) -> [JWSSigningKey] {
        [self.current] + self.retired.reversed().filter { $0.until > now }.map(\.key)
    }
}
#endif

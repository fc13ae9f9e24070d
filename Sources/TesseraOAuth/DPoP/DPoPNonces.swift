// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport

/// The newest nonce of each server, which the next proof to it has to carry.
///
/// A nonce goes back to the origin that gave it and to no other. Of a hundred origins the nonces are kept; the one used
/// longest ago gives way.
///
/// - SeeAlso: [RFC 9449, sections 8 and 9](https://www.rfc-editor.org/rfc/rfc9449.html#section-8)
public final class DPoPNonces: Sendable {
    /// How many origins are remembered.
    public static let capacity = 100
    /// The longest nonce that is taken, in bytes.
    public static let maximumLength = 512

    /// The one used last stands last.
    private let entries = Mutex<[(origin: String, nonce: String)]>([])

    /// No nonces.
    public init() {}

    /// The nonce that a request has to carry, nil where its server gave none.
    func nonce(for request: HTTPRequest) -> String? {
        guard let origin = request.origin else { return nil }
        return self.entries.withLock { entries in
            guard let index = entries.lastIndex(where: { $0.origin == origin }) else { return nil }
            if index != entries.endIndex - 1 { entries.append(entries.remove(at: index)) }
            return entries.last?.nonce
        }
    }

    /// Takes the nonce of a response, whatever its status; false where it has none that may be used.
    func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        guard let nonce = Self.nonce(in: response), let origin = request.origin else { return false }
        self.entries.withLock { entries in
            entries.removeAll { $0.origin == origin }
            entries.append((origin, nonce))
            if entries.count > Self.capacity { entries.removeFirst() }
        }
        return true
    }

    /// The usable nonce of a response: `1*NQCHAR` (RFC 9449, section 8.1), one, and not too long.
    static func nonce(in response: HTTPResponse) -> String? {
        let values = response.headerFields[values: .dpopNonce]
        guard values.count == 1, let nonce = values.first, (1...Self.maximumLength).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        else { return nil }
        return nonce
    }
}

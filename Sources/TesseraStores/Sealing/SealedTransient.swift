// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import Tessera

package import TesseraSupport

/// What a `TransientStore` keeps, as it lies in a database.
///
/// ```
/// magic    8   "TESSTRAN"
/// key id   8
/// nonce   12
/// sealed       AES-256-GCM of the end (seconds since 1970, 8) and the content, and its tag 16
/// ```
/// All before, and the name's digest, are associated data: neither can a thing be put under another name, nor can its
/// end be moved.
package enum SealedTransient {
    private static let magic = Array("TESSTRAN".utf8)
    /// The most that a thing may have, in bytes.
    private static let maximumLength = 1 << 16

    /// What stands in place of a name: its SHA-256, so that a copy of the database holds no cookie.
    package static func digest(of name: String) -> [UInt8] {
        Array(SHA256.hash(data: Self.magic + Array(name.utf8)))
    }

    /// Seals a thing with the current key.
    ///
    /// - Throws: `StoreError` `unavailable` for one that is too long.
    package static func seal(
        _ content: [UInt8],
        as name: String,
        until end: Date,
        with keys: StoreKeys,
        place: String
    ) throws -> [UInt8] {
        guard content.count <= Self.maximumLength else {
            throw StoreError(.unavailable, place: place, detail: "more than \(Self.maximumLength) bytes")
        }
        let nonce = AES.GCM.Nonce()
        let header = Self.magic + keys.current.id + Array(nonce)
        do {
            let box = try AES.GCM.seal(
                BigEndian.bytes(of: end.timeIntervalSince1970.bitPattern) + content,
                using: keys.current.symmetric,
                nonce: nonce,
                authenticating: header + Self.digest(of: name)
            )
            return header + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw StoreError(.system, place: place, detail: "it could not be sealed")
        }
    }

    /// The content; nil where its end has come.
    ///
    /// - Throws: `StoreError` `corrupt`, `keyMissing`.
    package static func open(
        _ bytes: [UInt8],
        as name: String,
        now: Date,
        with keys: StoreKeys,
        place: String
    ) throws -> [UInt8]? {
        var reader = ByteReader(bytes[...])
        guard reader.take(8).map(Array.init) == Self.magic, let keyID = reader.take(8), let nonce = reader.take(12)
        else {
            throw StoreError(.corrupt, place: place, detail: "it does not begin as it should")
        }
        guard let key = keys.key(Array(keyID)) else {
            throw StoreError(.keyMissing, place: place, detail: "another key than these sealed it")
        }
        let plain: [UInt8]
        do {
            let associated = bytes[..<reader.position] + Self.digest(of: name)
            plain = try AES.GCM.open(
                bytes[reader.position...],
                nonce: nonce,
                using: key.symmetric,
                authenticating: associated
            )
        } catch {
            throw StoreError(.corrupt, place: place, detail: "it is not what was kept")
        }
        var content = ByteReader(plain[...])
        guard let end: UInt64 = content.integer() else { throw StoreError(.corrupt, place: place) }
        return now.timeIntervalSince1970 < Double(bitPattern: end) ? Array(plain[content.position...]) : nil
    }
}

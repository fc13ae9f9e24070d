// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import Tessera

package import TesseraSupport

/// The encrypted form in which a `TransientStore` writes a value to a database.
///
/// ```
/// magic    8   "TESSTRAN"
/// key id   8
/// nonce   12
/// sealed       AES-256-GCM of the expiration (seconds since 1970, 8) and the content, with its 16-byte tag
/// ```
/// All preceding fields and the digest of the name are associated data. A value therefore cannot be moved to another
/// name, and its expiration cannot be changed.
package enum SealedTransient {
    private static let magic = Array("TESSTRAN".utf8)
    /// The maximum length of a value in bytes.
    private static let maximumLength = 1 << 16

    /// Returns the SHA-256 that is stored instead of a name, so that a copy of the database contains no cookies.
    package static func digest(of name: String) -> [UInt8] {
        Array(SHA256.hash(data: Self.magic + Array(name.utf8)))
    }

    /// Encrypts a value with the current key.
    ///
    /// - Throws: `StoreError` with the code `unavailable` if the value is too long.
    package static func seal(
        _ content: [UInt8],
        as name: String,
        until end: Date,
        with keys: StoreKeys,
        location: String
    ) throws -> [UInt8] {
        guard content.count <= Self.maximumLength else {
            throw StoreError(.unavailable, location: location, detail: "the value exceeds \(Self.maximumLength) bytes")
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
            throw StoreError(.system, location: location, detail: "the value could not be encrypted")
        }
    }

    /// Returns the decrypted value, or nil if it has expired.
    ///
    /// - Throws: `StoreError` with the code `corrupt` or `keyMissing`.
    package static func open(
        _ bytes: [UInt8],
        as name: String,
        now: Date,
        with keys: StoreKeys,
        location: String
    ) throws -> [UInt8]? {
        var reader = ByteReader(bytes[...])
        guard reader.take(8).map(Array.init) == Self.magic, let keyID = reader.take(8), let nonce = reader.take(12)
        else {
            throw StoreError(.corrupt, location: location, detail: "the value does not begin with a valid header")
        }
        guard let key = keys.key(Array(keyID)) else {
            throw StoreError(.keyMissing, location: location, detail: "the value was encrypted with a different key")
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
            throw StoreError(.corrupt, location: location, detail: "the value could not be decrypted")
        }
        var content = ByteReader(plain[...])
        guard let end: UInt64 = content.integer() else { throw StoreError(.corrupt, location: location) }
        return now.timeIntervalSince1970 < Double(bitPattern: end) ? Array(plain[content.position...]) : nil
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import CryptoExtras
internal import Tessera
public import TesseraOAuth

/// A store's key as it lies on the disk: what it takes to open it in clear, then what only the passphrase opens.
///
/// ```
/// magic    8   "TESSKEY\n"
/// version  2   1
/// cost     1   log2 N  ┐
/// block    4   r       │ scrypt
/// parallel 4   p       │
/// salt    32           ┘
/// nonce   12
/// sealed  48   AES-256-GCM of the key, and its tag; all before the nonce is associated data
/// check    8   of all before: tells damage from a wrong passphrase, and proves nothing
/// ```
/// Integers are big-endian.
struct SealedKey {
    static let version: UInt16 = 1
    static let length = 119
    private static let magic = Array("TESSKEY\n".utf8)

    let parameters: ScryptParameters
    private let salt: ArraySlice<UInt8>
    private let nonce: ArraySlice<UInt8>
    private let sealed: ArraySlice<UInt8>
    private let associated: ArraySlice<UInt8>

    /// Reads what lies on the disk; opens nothing.
    ///
    /// - Throws: `newerFormat`, `corrupt`.
    init(parsing bytes: [UInt8], place: String) throws {
        var reader = ByteReader(bytes[...])
        guard reader.take(8).map(Array.init) == Self.magic, let version: UInt16 = reader.integer() else {
            throw Self.damaged(place, "it does not begin as a key does")
        }
        guard version <= Self.version else {
            throw StoreError(.newerFormat, place: place, detail: "format \(version), known are those up to 1")
        }
        guard version == Self.version, bytes.count == Self.length,
            bytes.suffix(8).elementsEqual(SealedRecord.check(bytes.dropLast(8)))
        else { throw Self.damaged(place, "it is not what was written") }
        guard let logarithm: UInt8 = reader.integer(), logarithm < 32,
            let blockSize: UInt32 = reader.integer(),
            let parallelization: UInt32 = reader.integer(),
            let salt = reader.take(32)
        else { throw Self.damaged(place, "its header makes no sense") }
        self.associated = bytes[..<reader.position]
        guard let nonce = reader.take(12), let sealed = reader.take(48) else {
            throw Self.damaged(place, "it was cut off")
        }
        do {
            self.parameters = try ScryptParameters(
                cost: 1 << Int(logarithm),
                blockSize: Int(clamping: blockSize),
                parallelization: Int(clamping: parallelization)
            )
        } catch {
            throw Self.damaged(place, error.reason)
        }
        self.salt = salt
        self.nonce = nonce
        self.sealed = sealed
    }

    /// The key.
    ///
    /// Takes the time and the memory of ``ScryptParameters``.
    ///
    /// - Throws: `wrongPassphrase`.
    func open(with passphrase: Secret, place: String) throws -> StoreKey {
        let outer = try Self.key(from: passphrase, self.salt, self.parameters, place: place)
        do {
            return try StoreKey(
                try AES.GCM.open(self.sealed, nonce: self.nonce, using: outer, authenticating: self.associated)
            )
        } catch {
            throw StoreError(.wrongPassphrase, place: place)
        }
    }

    /// The bytes of a sealed key.
    static func seal(
        _ key: StoreKey,
        with passphrase: Secret,
        _ parameters: ScryptParameters,
        place: String
    ) throws -> [UInt8] {
        let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        let outer = try Self.key(from: passphrase, salt[...], parameters, place: place)
        var bytes = Self.magic + BigEndian.bytes(of: Self.version)
        bytes.append(UInt8(parameters.cost.trailingZeroBitCount))
        bytes += BigEndian.bytes(of: UInt32(parameters.blockSize))
        bytes += BigEndian.bytes(of: UInt32(parameters.parallelization)) + salt
        do {
            let plain = key.withUnredacted { $0 }
            let box = try AES.GCM.seal(plain, using: outer, authenticating: bytes)
            bytes += Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw StoreError(.system, place: place, detail: "the key could not be sealed")
        }
        return bytes + SealedRecord.check(bytes[...])
    }

    private static func key(
        from passphrase: Secret,
        _ salt: ArraySlice<UInt8>,
        _ parameters: ScryptParameters,
        place: String
    ) throws -> SymmetricKey {
        let bytes = passphrase.withUnredacted { Array($0.utf8) }
        guard !bytes.isEmpty else { throw StoreError(.wrongPassphrase, place: place, detail: "it is empty") }
        do {
            return try KDF.Scrypt.deriveKey(
                from: bytes,
                salt: Array(salt),
                outputByteCount: StoreKey.length,
                rounds: parameters.cost,
                blockSize: parameters.blockSize,
                parallelism: parameters.parallelization
            )
        } catch {
            throw StoreError(.system, place: place, detail: "scrypt failed; it needs \(parameters.megabytes) MiB")
        }
    }

    private static func damaged(_ place: String, _ words: String) -> StoreError {
        StoreError(.corrupt, place: place, detail: words)
    }
}

extension ScryptParameters {
    /// What one try takes.
    fileprivate var megabytes: Int { (128 * self.cost * self.blockSize) >> 20 }
}

/// How much work a passphrase costs whoever tries one: the parameters of scrypt.
///
/// One try takes `128 × cost × blockSize` bytes of memory, 128 MiB as it is, and a good part of a second.
///
/// - SeeAlso: [RFC 7914, section 2](https://www.rfc-editor.org/rfc/rfc7914.html#section-2)
public struct ScryptParameters: Sendable, Hashable {
    /// N: memory and time, a power of two from 2¹⁷ to 2²².
    public let cost: Int
    /// r, from 8 to 16: what every platform's scrypt takes.
    public let blockSize: Int
    /// p: time alone, from 1 to 16.
    public let parallelization: Int

    /// N = 2¹⁷, r = 8, p = 1.
    public static let standard = ScryptParameters(checked: 1 << 17, 8, 1)

    /// Parameters of the caller's.
    ///
    /// - Throws: `InvalidRequestError` for values outside their ranges, and for more than 4 GiB of memory.
    public init(cost: Int, blockSize: Int = 8, parallelization: Int = 1) throws(InvalidRequestError) {
        guard cost.nonzeroBitCount == 1, 1 << 17...1 << 22 ~= cost else {
            throw InvalidRequestError("cost", reason: "a power of two from 2^17 to 2^22 is needed")
        }
        // swift-crypto gives scrypt one memory page beyond its table, where it needs two blocks: 4 KiB hold those up to 16.
        guard 8...16 ~= blockSize else { throw InvalidRequestError("blockSize", reason: "8 to 16 are possible") }
        guard 1...16 ~= parallelization else {
            throw InvalidRequestError("parallelization", reason: "1 to 16 are possible")
        }
        guard 128 * Int64(cost) * Int64(blockSize) <= 1 << 32 else {
            throw InvalidRequestError("cost", reason: "more than 4 GiB of memory would be needed")
        }
        self.init(checked: cost, blockSize, parallelization)
    }

    private init(checked cost: Int, _ blockSize: Int, _ parallelization: Int) {
        self.cost = cost
        self.blockSize = blockSize
        self.parallelization = parallelization
    }
}

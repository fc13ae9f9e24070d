// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import CryptoExtras
internal import Tessera
public import TesseraOAuth

/// A store's key, encrypted with a passphrase.
///
/// The scrypt parameters precede the ciphertext in plaintext.
///
/// ```
/// magic    8   "TESSKEY\n"
/// version  2   1
/// cost     1   log2 N  ┐
/// block    4   r       │ scrypt
/// parallel 4   p       │
/// salt    32           ┘
/// nonce   12
/// sealed  48   AES-256-GCM of the key, with its tag; everything before the nonce is associated data
/// check    8   of everything above; distinguishes damage from a wrong passphrase but does not authenticate
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

    /// Parses an encrypted key without decrypting it.
    ///
    /// - Throws: `StoreError` with the code `newerFormat` or `corrupt`.
    init(parsing bytes: [UInt8], location: String) throws {
        var reader = ByteReader(bytes[...])
        guard reader.take(8).map(Array.init) == Self.magic, let version: UInt16 = reader.integer() else {
            throw Self.damaged(location, "it does not begin with a key header")
        }
        guard version <= Self.version else {
            throw StoreError(
                .newerFormat,
                location: location,
                detail: "format \(version), but only formats up to \(Self.version) are supported"
            )
        }
        guard version == Self.version, bytes.count == Self.length,
            bytes.suffix(8).elementsEqual(SealedRecord.check(bytes.dropLast(8)))
        else { throw Self.damaged(location, "its checksum does not match") }
        guard let logarithm: UInt8 = reader.integer(), logarithm < 32,
            let blockSize: UInt32 = reader.integer(),
            let parallelization: UInt32 = reader.integer(),
            let salt = reader.take(32)
        else { throw Self.damaged(location, "its header is malformed") }
        self.associated = bytes[..<reader.position]
        guard let nonce = reader.take(12), let sealed = reader.take(48) else {
            throw Self.damaged(location, "it is truncated")
        }
        do {
            self.parameters = try ScryptParameters(
                cost: 1 << Int(logarithm),
                blockSize: Int(clamping: blockSize),
                parallelization: Int(clamping: parallelization)
            )
        } catch {
            throw Self.damaged(location, error.reason)
        }
        self.salt = salt
        self.nonce = nonce
        self.sealed = sealed
    }

    /// Returns the decrypted key.
    ///
    /// Decrypting takes the time and memory that ``ScryptParameters`` require.
    ///
    /// - Throws: `StoreError` with the code `wrongPassphrase` if the passphrase is wrong.
    func open(with passphrase: Secret, location: String) throws -> StoreKey {
        let outer = try Self.key(from: passphrase, self.salt, self.parameters, location: location)
        do {
            return try StoreKey(
                try AES.GCM.open(self.sealed, nonce: self.nonce, using: outer, authenticating: self.associated)
            )
        } catch {
            throw StoreError(.wrongPassphrase, location: location)
        }
    }

    /// Returns a key encrypted with a passphrase.
    static func seal(
        _ key: StoreKey,
        with passphrase: Secret,
        _ parameters: ScryptParameters,
        location: String
    ) throws -> [UInt8] {
        let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        let outer = try Self.key(from: passphrase, salt[...], parameters, location: location)
        var bytes = Self.magic + BigEndian.bytes(of: Self.version)
        bytes.append(UInt8(parameters.cost.trailingZeroBitCount))
        bytes += BigEndian.bytes(of: UInt32(parameters.blockSize))
        bytes += BigEndian.bytes(of: UInt32(parameters.parallelization)) + salt
        do {
            let plain = key.withUnredacted { $0 }
            let box = try AES.GCM.seal(plain, using: outer, authenticating: bytes)
            bytes += Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw StoreError(.system, location: location, detail: "the key could not be encrypted")
        }
        return bytes + SealedRecord.check(bytes[...])
    }

    private static func key(
        from passphrase: Secret,
        _ salt: ArraySlice<UInt8>,
        _ parameters: ScryptParameters,
        location: String
    ) throws -> SymmetricKey {
        let bytes = passphrase.withUnredacted { Array($0.utf8) }
        guard !bytes.isEmpty else { throw StoreError(.wrongPassphrase, location: location, detail: "it is empty") }
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
            throw StoreError(.system, location: location, detail: "scrypt failed. It needs \(parameters.megabytes) MiB")
        }
    }

    private static func damaged(_ location: String, _ words: String) -> StoreError {
        StoreError(.corrupt, location: location, detail: words)
    }
}

extension ScryptParameters {
    /// The memory in MiB that is needed to derive a key.
    fileprivate var megabytes: Int { (128 * self.cost * self.blockSize) >> 20 }
}

/// The scrypt parameters, which determine how much work each passphrase attempt takes.
///
/// An attempt takes `128 × cost × blockSize` bytes of memory. With the default parameters, that is 128 MiB and a large
/// fraction of a second.
///
/// - SeeAlso: [RFC 7914, section 2](https://www.rfc-editor.org/rfc/rfc7914.html#section-2)
public struct ScryptParameters: Sendable, Hashable {
    /// The cost parameter N, a power of two from 2¹⁷ to 2²², which determines memory and time.
    public let cost: Int
    /// The block size r, from 8 to 16, the range that scrypt supports on every platform.
    public let blockSize: Int
    /// The parallelization parameter p, from 1 to 16, which affects time only.
    public let parallelization: Int

    /// The default parameters: N = 2¹⁷, r = 8 and p = 1.
    public static let standard = ScryptParameters(checked: 1 << 17, 8, 1)

    /// Creates custom parameters.
    ///
    /// - Throws: `InvalidRequestError` if a value is out of range or the parameters require more than 4 GiB of memory.
    public init(cost: Int, blockSize: Int = 8, parallelization: Int = 1) throws(InvalidRequestError) {
        guard cost.nonzeroBitCount == 1, 1 << 17...1 << 22 ~= cost else {
            throw InvalidRequestError("cost", reason: "it must be a power of two from 2^17 to 2^22")
        }
        // swift-crypto allows scrypt one memory page in addition to its table, but scrypt needs two blocks. A page of 4
        // KiB is enough for block sizes up to 16.
        guard 8...16 ~= blockSize else { throw InvalidRequestError("blockSize", reason: "it must be from 8 to 16") }
        guard 1...16 ~= parallelization else {
            throw InvalidRequestError("parallelization", reason: "it must be from 1 to 16")
        }
        guard 128 * Int64(cost) * Int64(blockSize) <= 1 << 32 else {
            throw InvalidRequestError("cost", reason: "it would require more than 4 GiB of memory")
        }
        self.init(checked: cost, blockSize, parallelization)
    }

    private init(checked cost: Int, _ blockSize: Int, _ parallelization: Int) {
        self.cost = cost
        self.blockSize = blockSize
        self.parallelization = parallelization
    }
}

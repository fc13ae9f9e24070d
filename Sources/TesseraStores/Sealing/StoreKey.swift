// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
public import TesseraOAuth

/// A key that a store seals records with: 32 bytes, for AES-256-GCM.
///
/// It appears in no description, reflection or dump.
public struct StoreKey: Sendable, Hashable {
    /// How many bytes a key has.
    public static let length = 32

    private let bytes: [UInt8]
    /// Eight bytes that tell keys apart and say nothing about them; they stand in every record.
    package let id: [UInt8]

    /// A key of the caller's, from a source of randomness or a key service.
    ///
    /// - Throws: `InvalidRequestError` for anything but ``length`` bytes.
    public init(_ bytes: [UInt8]) throws(InvalidRequestError) {
        guard bytes.count == Self.length else {
            throw InvalidRequestError("key", reason: "a key has \(Self.length) bytes, not \(bytes.count)")
        }
        self.init(checked: bytes)
    }

    /// A new key from the system's cryptographically secure source.
    public static func random() -> StoreKey {
        StoreKey(checked: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    }

    private init(checked bytes: [UInt8]) {
        self.bytes = bytes
        self.id = Array(SHA256.hash(data: Array("tessera file key id".utf8) + bytes).prefix(8))
    }

    /// The key's own bytes, for whoever has to keep it.
    public func withUnredacted<Result, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self.bytes)
    }

    var symmetric: SymmetricKey { SymmetricKey(data: self.bytes) }
}

extension StoreKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the key.
    public var description: String { "<redacted>" }
    /// Never the key.
    public var debugDescription: String { "<redacted>" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

/// The keys of a store: one for what is written now, and those that older records were sealed with.
///
/// To change a key while programs run, give each of them the new key as a former one first, then make it the current
/// one; a record is sealed with the current key when it is next saved. No program then meets a record that it cannot open.
public struct StoreKeys: Sendable, Hashable {
    /// Seals what is written.
    public var current: StoreKey
    /// Open what was sealed before.
    public var former: [StoreKey]

    /// Keys.
    public init(_ current: StoreKey, former: [StoreKey] = []) {
        self.current = current
        self.former = former
    }

    /// The key that has this identifier.
    package func key(_ id: [UInt8]) -> StoreKey? {
        self.current.id == id ? self.current : self.former.first { $0.id == id }
    }
}

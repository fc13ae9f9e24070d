// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import Tessera
public import TesseraOAuth
internal import TesseraSupport

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

/// Where a store's keys come from: every call blocks, and only a ``BlockingExecutor`` may make it.
package enum StoreKeySource: Sendable {
    /// The caller has them.
    case given(StoreKeys)
    /// The one key of a file outside the store, made at first use.
    case file(KeyFile)
    /// Somebody is asked: a keyring, for example.
    case asked(AskedKey)

    /// The key file of a directory; nil is the user's key directory.
    package static func keyFile(in directory: String?) -> StoreKeySource {
        .file(KeyFile(directory: UserPlaces.absolute(directory ?? UserPlaces.current.keyDirectory)))
    }

    /// What an error names.
    package var place: String {
        switch self {
        case .given: "the keys given to the store"
        case .file(let file): file.path
        case .asked(let asked): asked.place
        }
    }

    /// The directory of a key file, which may not lie in the store's.
    var directory: String? {
        if case .file(let file) = self { file.directory } else { nil }
    }

    /// The keys that open records.
    ///
    /// - Throws: `keyMissing`, and what reading them throws.
    package func existing() throws -> StoreKeys {
        guard let keys = try self.read() else { throw StoreError(.keyMissing, place: self.place) }
        return keys
    }

    /// The keys that seal; a new one only where there is no record that needs an old one.
    ///
    /// - Parameter hasRecords: whether there are records; asked only where no key is, before it is looked for again.
    /// - Returns: the keys.
    /// - Throws: `keyMissing` where records are and their key is not; what reading and making it throw.
    package func forWriting(hasRecords: () throws -> Bool) throws -> StoreKeys {
        if let keys = try self.read() { return keys }
        // In this order: a record that is there now had its key before.
        let isNeeded = try hasRecords()
        if let keys = try self.read() { return keys }
        if isNeeded { throw StoreError(.keyMissing, place: self.place) }
        return try self.make()
    }

    private func read() throws -> StoreKeys? {
        switch self {
        case .given(let keys): keys
        case .file(let file): try file.read().map { StoreKeys($0) }
        case .asked(let asked): try asked.read()
        }
    }

    private func make() throws -> StoreKeys {
        switch self {
        case .given(let keys): keys
        case .file(let file): StoreKeys(try file.make())
        case .asked(let asked): try asked.make()
        }
    }
}

/// A key that somebody is asked for at first use, and not again.
package final class AskedKey: Sendable {
    /// What an error names.
    package let place: String
    private let reading: @Sendable () throws -> StoreKey?
    private let making: @Sendable () throws -> StoreKey
    private let known = Mutex<StoreKeys?>(nil)

    /// A key of a place.
    ///
    /// - Parameters:
    ///   - place: what an error names.
    ///   - read: asks for the key; nil where none was made yet. It may block.
    ///   - make: makes the key, or takes the one that another process has made meanwhile. It may block.
    package init(
        place: String,
        reading read: @escaping @Sendable () throws -> StoreKey?,
        making make: @escaping @Sendable () throws -> StoreKey
    ) {
        self.place = place
        self.reading = read
        self.making = make
    }

    package func read() throws -> StoreKeys? {
        if let keys = self.known.withLock({ $0 }) { return keys }
        guard let key = try self.reading() else { return nil }
        return self.keep(key)
    }

    package func make() throws -> StoreKeys { self.keep(try self.making()) }

    private func keep(_ key: StoreKey) -> StoreKeys {
        let keys = StoreKeys(key)
        self.known.withLock { $0 = keys }
        return keys
    }
}

/// Where the key lies: a file of its own, outside the store's directory, for this user alone.
package struct KeyFile: Sendable {
    let directory: String

    /// The key file of a directory.
    package init(directory: String) { self.directory = directory }

    package var path: String { self.directory + "/" + UserPlaces.keyFile }

    /// The key, nil where there is none yet.
    ///
    /// - Throws: `permissionDenied` when others may read or write the file: a key that others had is not one, and
    ///   closing the file now would hide that. `corrupt` when it has another length.
    package func read() throws -> StoreKey? {
        guard let file = try StoreError.mapping(FileSystem.file(at: self.path)) else { return nil }
        let status = try StoreError.mapping(file.checkedStatus())
        guard status.permissions & 0o077 == 0 else {
            throw StoreError(
                .permissionDenied,
                place: self.path,
                detail: """
                    others may read or write the key (mode \(status.modeText)); if nobody has, chmod 600 it, else \
                    remove the key and the store and sign in again
                    """
            )
        }
        let bytes = try StoreError.mapping(file.contents(limit: 4096))
        do {
            return try StoreKey(bytes)
        } catch {
            throw StoreError(.corrupt, place: self.path, detail: error.reason)
        }
    }

    /// Makes the key, or takes the one that another process has made meanwhile.
    package func make() throws -> StoreKey {
        try StoreError.mapping(FileSystem.makeDirectory(self.directory))
        let bytes = StoreKey.random().withUnredacted { $0 }
        try StoreError.mapping(FileSystem.make(self.path, holding: bytes))
        guard let made = try self.read() else { throw StoreError(.keyMissing, place: self.path) }
        return made
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import Tessera
public import TesseraOAuth
internal import TesseraSupport

/// The key with which a store encrypts records, which consists of 32 bytes for AES-256-GCM.
///
/// The key does not appear in descriptions, reflection or dumps.
public struct StoreKey: Sendable, Hashable {
    /// The length of a key in bytes.
    public static let length = 32

    private let bytes: [UInt8]
    /// An eight-byte identifier that is stored in every record and reveals nothing about the key.
    package let id: [UInt8]

    /// Creates a key from existing bytes, for example from a key service.
    ///
    /// - Throws: `InvalidRequestError` if there are not exactly ``length`` bytes.
    public init(_ bytes: [UInt8]) throws(InvalidRequestError) {
        guard bytes.count == Self.length else {
            throw InvalidRequestError("key", reason: "a key must have \(Self.length) bytes, not \(bytes.count)")
        }
        self.init(checked: bytes)
    }

    /// Returns a new key from the system's cryptographically secure random number generator.
    public static func random() -> StoreKey {
        StoreKey(checked: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    }

    private init(checked bytes: [UInt8]) {
        self.bytes = bytes
        self.id = Array(SHA256.hash(data: Array("tessera file key id".utf8) + bytes).prefix(8))
    }

    /// Calls a closure with the key's bytes, for example to store them in a key service.
    public func withUnredacted<Result, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self.bytes)
    }

    var symmetric: SymmetricKey { SymmetricKey(data: self.bytes) }
}

extension StoreKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder that never contains the key.
    public var description: String { "<redacted>" }
    /// A placeholder that never contains the key.
    public var debugDescription: String { "<redacted>" }
    /// A mirror without children, so that reflection does not reveal the key.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

/// A store's keys: the current key, and the former keys that encrypted older records.
///
/// To change a key while programs are running, first give each program the new key as a former key, and then make it
/// the current key. Every program can then read every record at any time. A record is encrypted with the current key
/// the next time it is saved.
public struct StoreKeys: Sendable, Hashable {
    /// The key that encrypts new records.
    public var current: StoreKey
    /// The keys that can decrypt older records.
    public var former: [StoreKey]

    /// Creates a store's keys.
    public init(_ current: StoreKey, former: [StoreKey] = []) {
        self.current = current
        self.former = former
    }

    /// Returns the key with an identifier, or nil if there is no such key.
    package func key(_ id: [UInt8]) -> StoreKey? {
        self.current.id == id ? self.current : self.former.first { $0.id == id }
    }
}

/// The source of a store's keys.
///
/// Every method blocks and must only be called on a ``BlockingExecutor``.
package enum StoreKeySource: Sendable {
    /// Keys supplied by the caller.
    case given(StoreKeys)
    /// A key in a file outside the store, created at first use.
    case file(StoreKeyFile)
    /// A key that must be requested, for example from a keyring.
    case asked(PromptedKey)

    /// Returns the key file in a directory, or in the user's key directory if `directory` is nil.
    package static func keyFile(in directory: String?) -> StoreKeySource {
        .file(StoreKeyFile(directory: UserFolders.absolute(directory ?? UserFolders.current.keyDirectory)))
    }

    /// The location of the keys, for error messages.
    package var location: String {
        switch self {
        case .given: "the keys given to the store"
        case .file(let file): file.path
        case .asked(let asked): asked.location
        }
    }

    /// The directory that contains the key file, which must not be inside the store's directory.
    var directory: String? {
        if case .file(let file) = self { file.directory } else { nil }
    }

    /// Returns the keys for reading records.
    ///
    /// - Throws: `StoreError` with the code `keyMissing` if there is no key, or any error from reading the keys.
    package func existing() throws -> StoreKeys {
        guard let keys = try self.read() else { throw StoreError(.keyMissing, location: self.location) }
        return keys
    }

    /// Returns the keys for writing records, creating one only if no existing record needs a missing key.
    ///
    /// - Parameter hasRecords: A closure that returns whether there are records. It is called only if no key is found,
    ///   before looking for the key again.
    /// - Returns: The keys.
    /// - Throws: `StoreError` with the code `keyMissing` if there are records but their key is missing, or any error
    ///   from reading or creating the key.
    package func forWriting(hasRecords: () throws -> Bool) throws -> StoreKeys {
        if case .asked(let asked) = self { try asked.forgetIfRemoved() }
        if let keys = try self.read() { return keys }
        // The order matters, because any record that exists now was written after its key was created.
        let isNeeded = try hasRecords()
        if let keys = try self.read() { return keys }
        if isNeeded { throw StoreError(.keyMissing, location: self.location) }
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

/// A key that is requested at first use and then cached in memory.
package final class PromptedKey: Sendable {
    /// The location of the key, for error messages.
    package let location: String
    private let existing: @Sendable () throws -> Bool
    private let reading: @Sendable () throws -> StoreKey?
    private let making: @Sendable () throws -> StoreKey
    private let known = Mutex<StoreKeys?>(nil)

    /// Creates a key that is requested at first use.
    ///
    /// - Parameters:
    ///   - location: The location of the key, for error messages.
    ///   - exists: A closure that returns whether the key is still stored, without requesting it.
    ///   - read: A closure that requests the key, or returns nil if it has not been created yet. It can block.
    ///   - make: A closure that creates the key, or returns the key that another process has created in the meantime.
    ///     It can block.
    package init(
        location: String,
        existing exists: @escaping @Sendable () throws -> Bool = { true },
        reading read: @escaping @Sendable () throws -> StoreKey?,
        making make: @escaping @Sendable () throws -> StoreKey
    ) {
        self.location = location
        self.existing = exists
        self.reading = read
        self.making = make
    }

    package func read() throws -> StoreKeys? {
        if let keys = self.known.withLock({ $0 }) { return keys }
        guard let key = try self.reading() else { return nil }
        return self.save(key)
    }

    package func make() throws -> StoreKeys { self.save(try self.making()) }

    /// Forgets the key if it is no longer stored, because records that it encrypted could not be read later.
    func forgetIfRemoved() throws {
        guard self.known.withLock({ $0 != nil }), try !self.existing() else { return }
        self.known.withLock { $0 = nil }
    }

    private func save(_ key: StoreKey) -> StoreKeys {
        let keys = StoreKeys(key)
        self.known.withLock { $0 = keys }
        return keys
    }
}

/// A key file outside the store's directory that only this user can access.
package struct StoreKeyFile: Sendable {
    let directory: String

    /// Creates a reference to the key file in a directory.
    package init(directory: String) { self.directory = directory }

    package var path: String { self.directory + "/" + UserFolders.keyFile }

    /// Returns the key, or nil if it has not been created yet.
    ///
    /// - Throws: `StoreError` with the code `permissionDenied` if other users can read or write the file, or `corrupt`
    ///   if the key has the wrong length. The permissions are not corrected, because that would hide a possible
    ///   disclosure of the key.
    package func read() throws -> StoreKey? {
        guard let file = try StoreError.mapping(FileSystem.file(at: self.path)) else { return nil }
        let status = try StoreError.mapping(file.checkedStatus())
        guard status.permissions & 0o077 == 0 else {
            throw StoreError(
                .permissionDenied,
                location: self.path,
                detail: """
                    other users can read or write the key (mode \(status.modeText)). If you are sure that none \
                    did, run chmod 600. Otherwise, remove the key and the store, and sign in again
                    """
            )
        }
        let bytes = try StoreError.mapping(file.contents(limit: 4096))
        do {
            return try StoreKey(bytes)
        } catch {
            throw StoreError(.corrupt, location: self.path, detail: error.reason)
        }
    }

    /// Creates the key, or returns the key that another process has created in the meantime.
    package func make() throws -> StoreKey {
        try StoreError.mapping(FileSystem.makeDirectory(self.directory))
        let bytes = StoreKey.random().withUnredacted { $0 }
        try StoreError.mapping(FileSystem.make(self.path, holding: bytes))
        guard let made = try self.read() else { throw StoreError(.keyMissing, location: self.path) }
        return made
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Tessera
public import TesseraStores
internal import TesseraSupport

/// A file store's key in the keyring.
///
/// Every method blocks the calling thread.
struct SecretServiceKey: Sendable {
    static let schema = "dev.tessera.key"
    private static let location = "the file store's key in the Secret Service"

    private let service: SecretService
    private let schema: String

    init(service: SecretService, schema: String) {
        self.service = service
        self.schema = schema
    }

    /// The key in the form that a file store uses.
    var asked: PromptedKey {
        PromptedKey(
            location: Self.location,
            reading: { try self.read() },
            making: { try self.make() }
        )
    }

    private func read() throws -> StoreKey? {
        let wanted = try SecretServiceAttributes(schema: self.schema)
        let items = try self.service.runBlocking { connection in
            try connection.items(wanted, withValues: true)
        }
        // An item without a value remains if the keyring exits while creating the item.
        let values = items.map(\.value).filter { !$0.isEmpty }
        guard let value = values.first else { return nil }
        guard values.count == 1, let key = Self.key(value) else {
            throw StoreError(
                .corrupt,
                location: Self.location,
                detail: values.count == 1 ? "it is not a key" : "there are several keys"
            )
        }
        return key
    }

    /// Creates the key, or returns the key that another process has created in the meantime.
    ///
    /// A lock ensures that only one process at a time checks for the key and creates it.
    private func make() throws -> StoreKey {
        let lock = try self.lock()
        defer { lock.release() }
        if let key = try self.read() { return key }
        let key = StoreKey.random()
        let text = key.withUnredacted { Array(Hexadecimal.text($0).utf8) }
        let wanted = try SecretServiceAttributes(schema: self.schema)
        try self.service.runBlocking { connection in
            try connection.store(text, as: wanted, label: "Tessera: key of the encrypted sessions")
        }
        // A key is used only if the keyring returns it after it has been stored.
        guard let made = try self.read(), made == key else { throw StoreError(.keyMissing, location: Self.location) }
        return made
    }

    private func lock() throws -> FileLock {
        let directory = LockDirectory(path: UserFolders.current.lockDirectory)
        let lock = try directory.lock(.key)
        // This thread may block, and the lock is held for only a few calls.
        let isOver = DispatchSemaphore(value: 0)
        for _ in 0..<600 {
            if try StoreError.mapping(lock.tryLock()) { return lock }
            _ = isOver.wait(timeout: .now() + .milliseconds(100))
        }
        lock.release()
        throw StoreError(.busy, location: directory.lockPath(.key))
    }

    /// Returns a key from hexadecimal digits, which are used because keyring values are text.
    private static func key(_ text: [UInt8]) -> StoreKey? {
        guard text.count == 2 * StoreKey.length else { return nil }
        return String(wellFormedUTF8: text).flatMap { try? StoreKey(Hexadecimal.bytes($0)) }
    }
}

extension EncryptedFileStore {
    /// Creates a store in a directory whose key is in the user's keyring instead of a file.
    ///
    /// The key is created at first use and read once per process. All of the user's stores of this kind share it. If
    /// there are records but the keyring does not contain their key, every call fails with `keyMissing`. If the keyring
    /// is missing or locked, calls fail as they do for a ``SecretServiceStore``.
    ///
    /// - Parameters:
    ///   - directory: The directory for the records. A relative path is resolved against the current directory
    ///     immediately.
    ///   - forcesNetworkFileSystem: Whether to allow a network file system, which is safe only if a single machine uses
    ///     it.
    ///   - lockTimeout: The time that an update waits for other updates, in this and other processes, before it fails
    ///     with `busy`.
    ///   - clock: The clock that measures the wait.
    /// - Returns: The store, which does not access the disk or the keyring until it is used.
    public static func withKeyInSecretService(
        directory: String,
        forcesNetworkFileSystem: Bool = false,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> EncryptedFileStore {
        let key = SecretServiceKey(service: .shared, schema: SecretServiceKey.schema)
        return EncryptedFileStore(
            directory: directory,
            keySource: .asked(key.asked),
            forcesNetworkFileSystem: forcesNetworkFileSystem,
            lockTimeout: lockTimeout,
            clock: clock
        )
    }
}

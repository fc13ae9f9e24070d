// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Tessera
public import TesseraStores
internal import TesseraSupport

/// A file store's key as an item of the keyring: every call blocks.
struct SecretServiceKey: Sendable {
    static let schema = "dev.tessera.key"
    private static let place = "the file store's key in the Secret Service"

    private let service: SecretService
    private let schema: String

    init(service: SecretService, schema: String) {
        self.service = service
        self.schema = schema
    }

    /// The key as a file store asks for it.
    var asked: AskedKey {
        AskedKey(
            place: Self.place,
            reading: { try self.read() },
            making: { try self.make() }
        )
    }

    private func read() throws -> StoreKey? {
        let wanted = try SecretServiceAttributes(schema: self.schema)
        let items = try self.service.runAtOnce { connection in
            try connection.items(wanted, withValues: true)
        }
        // One without a value is left when a keyring dies while it makes it.
        let values = items.map(\.value).filter { !$0.isEmpty }
        guard let value = values.first else { return nil }
        guard values.count == 1, let key = Self.key(value) else {
            throw StoreError(
                .corrupt,
                place: Self.place,
                detail: values.count == 1 ? "it is no key" : "there are several, and one at most is the right one"
            )
        }
        return key
    }

    /// Makes the key, or takes the one that another process has made meanwhile: a lock lets one of them look and make.
    private func make() throws -> StoreKey {
        let lock = try self.lock()
        defer { lock.release() }
        if let key = try self.read() { return key }
        let key = StoreKey.random()
        let text = key.withUnredacted { Array(Hexadecimal.text($0).utf8) }
        let wanted = try SecretServiceAttributes(schema: self.schema)
        try self.service.runAtOnce { connection in
            try connection.store(text, as: wanted, label: "Tessera: the key of the encrypted sessions")
        }
        // Only what the keyring gives back is a key that will be there later.
        guard let made = try self.read(), made == key else { throw StoreError(.keyMissing, place: Self.place) }
        return made
    }

    private func lock() throws -> FileLock {
        let directory = LockDirectory(path: UserPlaces.current.lockDirectory)
        let lock = try directory.lock(.key)
        // This thread is there to wait. Nobody holds the lock for longer than a few calls.
        let isOver = DispatchSemaphore(value: 0)
        for _ in 0..<600 {
            if try StoreError.mapping(lock.tryLock()) { return lock }
            _ = isOver.wait(timeout: .now() + .milliseconds(100))
        }
        lock.release()
        throw StoreError(.busy, place: directory.lockPath(.key))
    }

    /// A key from its hexadecimal digits: a keyring's values are texts.
    private static func key(_ text: [UInt8]) -> StoreKey? {
        guard text.count == 2 * StoreKey.length else { return nil }
        return String(wellFormedUTF8: text).flatMap { try? StoreKey(Hexadecimal.bytes($0)) }
    }
}

extension EncryptedFileStore {
    /// A store in a directory whose key lies in the person's keyring instead of a file.
    ///
    /// The key is made there at first use, and asked for once in a process. It serves all such stores of the person.
    /// Where records are and the keyring has no key for them, every call fails with `keyMissing`; without a keyring, or
    /// with a locked one, as a ``SecretServiceStore`` does.
    ///
    /// - Parameters:
    ///   - directory: where the records lie. A relative path starts at the current directory of this moment.
    ///   - forcesNetworkFileSystem: takes a network file system too: right only where one machine alone uses it.
    ///   - lockTimeout: how long an update may wait for others, of this process and of all, before it fails with `busy`.
    ///   - clock: what waits.
    /// - Returns: the store; neither the disk nor the keyring is touched before it is used.
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

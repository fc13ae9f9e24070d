// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
public import TesseraStores

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

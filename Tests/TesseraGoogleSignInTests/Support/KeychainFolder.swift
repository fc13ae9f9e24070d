// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraStores
internal import TesseraTesting

/// An in-memory keychain and a directory for the locks of its stores.
///
/// The directory is removed with the value.
final class KeychainFolder: Sendable {
    let keychain = InMemoryKeychain(groups: ["TEAM.program", "TEAM.shared"])
    let path = FileManager.default.temporaryDirectory.path + "/tessera-google-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    /// Returns a session store in one of the keychains.
    func store(usesDataProtection: Bool = true) -> KeychainSessionStore {
        KeychainSessionStore(
            self.keychain,
            location: KeychainLocation(
                usesDataProtection: usesDataProtection,
                accessGroup: nil,
                accessibility: .afterFirstUnlockThisDeviceOnly
            ),
            service: "sessions",
            lockDirectory: LockDirectory(path: self.path + "/locks")
        )
    }

    /// Returns a store of encrypted files.
    func files() -> EncryptedFileStore {
        EncryptedFileStore(directory: self.path + "/store", keyDirectory: self.path + "/keys")
    }

    /// Returns the item of Google's library, in the app's first access group or in a named one.
    func ancestor(in group: String? = nil) -> KeychainStore {
        let attributes = Set(group.map { [KeychainAttribute.keychainAccessGroup(name: $0)] } ?? [])
        let passwords = KeychainPasswords(self.keychain, attributes)
        return KeychainStore(itemName: "auth", keychainHelper: PlatformKeychain(passwords, attributes))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import TesseraGTMAppAuth

/// A keychain helper with items in memory.
final class KeychainInMemory: KeychainHelper {
    let keychainAttributes: Set<KeychainAttribute>
    private let items = Mutex<[String: Data]>([:])

    init(keychainAttributes: Set<KeychainAttribute> = []) { self.keychainAttributes = keychainAttributes }

    func passwordData(forService service: String) throws -> Data {
        guard let data = self.items.withLock({ $0[service] }) else {
            throw KeychainStore.Error.passwordNotFound(forItemName: service)
        }
        return data
    }

    func removePassword(forService service: String) throws {
        guard self.items.withLock({ $0.removeValue(forKey: service) }) != nil else {
            throw KeychainStore.Error.failedToDeletePasswordBecauseItemNotFound(itemName: service)
        }
    }

    func setPassword(data: Data, forService service: String, accessibility: AnyObject?) throws {
        self.items.withLock { $0[service] = data }
    }
}

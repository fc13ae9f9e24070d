// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Synchronization
internal import TesseraGTMAppAuth

/// A keychain's passwords, kept in memory.
final class PasswordsInMemory: KeychainHelper {
    private let passwords = Mutex<[String: Data]>([:])

    let keychainAttributes: Set<KeychainAttribute> = []

    init() {}

    init(keychainAttributes: Set<KeychainAttribute>) {}

    var isEmpty: Bool { self.passwords.withLock { $0.isEmpty } }

    func passwordData(forService service: String) throws -> Data {
        guard let password = self.passwords.withLock({ $0[service] }) else {
            throw KeychainStore.Error.passwordNotFound(forItemName: service)
        }
        return password
    }

    func removePassword(forService service: String) throws {
        self.passwords.withLock { $0[service] = nil }
    }

    func setPassword(data: Data, forService service: String, accessibility: AnyObject?) throws {
        self.passwords.withLock { $0[service] = data }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraSupport

/// Keychain passwords that are stored in memory.
final class PasswordsInMemory: KeychainHelper {
    private struct State {
        var passwords: [String: Data] = [:]
        var failure: Int32?
    }

    private let state = Mutex(State())

    let keychainAttributes: Set<KeychainAttribute> = []

    init() {}

    init(keychainAttributes: Set<KeychainAttribute>) {}

    var isEmpty: Bool { self.state.withLock { $0.passwords.isEmpty } }

    /// Makes every later call fail with a status, or succeed again if it is nil.
    func fail(_ status: Int32?) { self.state.withLock { $0.failure = status } }

    func passwordData(forService service: String) throws -> Data {
        guard let password = try self.passwords({ $0[service] }) else {
            throw KeychainStore.Error.passwordNotFound(forItemName: service)
        }
        return password
    }

    func removePassword(forService service: String) throws {
        guard try self.passwords({ $0.removeValue(forKey: service) }) != nil else {
            throw KeychainStore.Error.failedToDeletePasswordBecauseItemNotFound(itemName: service)
        }
    }

    func setPassword(data: Data, forService service: String, accessibility: AnyObject?) throws {
        _ = try self.passwords { $0.updateValue(data, forKey: service) }
    }

    private func passwords(_ body: (inout [String: Data]) -> Data?) throws -> Data? {
        try self.state.withLock { state in
            if let failure = state.failure { throw KeychainStore.Error.unhandled(status: failure) }
            return body(&state.passwords)
        }
    }
}

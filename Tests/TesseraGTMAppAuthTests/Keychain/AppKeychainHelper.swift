// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraSupport

/// A keychain helper as apps have written it for GTMAppAuth, which stores items in memory and records how they are set.
final class AppKeychainHelper: KeychainHelper {
    let keychainAttributes: Set<KeychainAttribute>
    private let items = Mutex<[String: Data]>([:])
    private let record = Mutex<[String]>([])

    init(keychainAttributes: Set<KeychainAttribute>) { self.keychainAttributes = keychainAttributes }

    /// The kind, the service and the accessibility of each secret that has been set.
    var calls: [String] { self.record.withLock { $0 } }

    /// Returns the item of a service as text.
    func text(_ service: String) -> String? {
        self.items.withLock { $0[service] }.map { String(decoding: $0, as: UTF8.self) }
    }

    func passwordData(forService service: String) throws -> Data {
        guard !service.isEmpty else { throw KeychainStore.Error.noService }
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

    func setPassword(_ password: String, forService service: String) throws {
        try self.set(Data(password.utf8), service, "text")
    }

    func setPassword(_ password: String, forService service: String, accessibility: AnyObject) throws {
        try self.set(Data(password.utf8), service, "text", accessibility)
    }

    func setPassword(data: Data, forService service: String, accessibility: AnyObject?) throws {
        try self.set(data, service, "data", accessibility)
    }

    private func set(_ data: Data, _ service: String, _ kind: String, _ accessibility: AnyObject? = nil) throws {
        guard !service.isEmpty else { throw KeychainStore.Error.noService }
        let name = accessibility.map { ($0 as? NSString)?.description ?? "unknown" }
        self.record.withLock { $0.append([kind, service, name].compactMap(\.self).joined(separator: " ")) }
        self.items.withLock { $0[service] = data }
    }
}

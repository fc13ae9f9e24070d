// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraStores
internal import TesseraSupport
internal import Tessera
internal import TesseraTesting

/// A keychain that deviates from the system's keychain in one way.
final class FaultyKeychain: KeychainItems {
    enum Fault: Sendable {
        /// Items added to the data-protection keychain are lost.
        case lostAdditions
        /// Every location is the file-based keychain.
        case singleKeychain
        /// Another process writes this item to the file-based keychain after the first addition.
        case concurrentWrite(KeychainItem)
    }

    private let keychain: InMemoryKeychain
    private let fault: Fault
    private let isDone = Mutex(false)

    init(_ keychain: InMemoryKeychain, _ fault: Fault) {
        self.keychain = keychain
        self.fault = fault
    }

    var accessGroups: KeychainAccessGroups { self.keychain.accessGroups }

    private func real(_ location: KeychainLocation) -> KeychainLocation {
        guard case .singleKeychain = self.fault else { return location }
        var location = location
        location.usesDataProtection = false
        return location
    }

    func add(_ item: KeychainItem, to location: KeychainLocation) -> Int32 {
        switch self.fault {
        case .lostAdditions: return KeychainStatus.success
        case .singleKeychain: return self.keychain.add(item, to: self.real(location))
        case .concurrentWrite(let newer):
            let status = self.keychain.add(item, to: location)
            let isFirst = self.isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst {
                let query = KeychainQuery(service: newer.service, account: newer.account)
                var before = location
                before.usesDataProtection = false
                _ = self.keychain.update(query, in: before, to: newer)
            }
            return status
        }
    }

    func items(
        _ query: KeychainQuery,
        in location: KeychainLocation,
        secrets: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        self.keychain.items(query, in: self.real(location), secrets: secrets)
    }

    func update(_ query: KeychainQuery, in location: KeychainLocation, to item: KeychainItem) -> Int32 {
        self.keychain.update(query, in: self.real(location), to: item)
    }

    func remove(_ query: KeychainQuery, from location: KeychainLocation) -> Int32 {
        self.keychain.remove(query, from: self.real(location))
    }

    func message(_ status: Int32) -> String? { nil }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraStores
internal import TesseraSupport
internal import Tessera
internal import TesseraTesting

/// A keychain that does one thing otherwise than the system's.
final class OddKeychain: KeychainItems {
    enum Oddity: Sendable {
        /// What is added to the data-protection keychain is not there afterwards.
        case swallowing
        /// There is but the file-based keychain, whatever is asked for.
        case single
        /// Somebody writes this into the file-based keychain after the first addition.
        case writtenMeanwhile(KeychainItem)
    }

    private let keychain: InMemoryKeychain
    private let oddity: Oddity
    private let isDone = Mutex(false)

    init(_ keychain: InMemoryKeychain, _ oddity: Oddity) {
        self.keychain = keychain
        self.oddity = oddity
    }

    var accessGroups: KeychainAccessGroups { self.keychain.accessGroups }

    private func real(_ place: KeychainPlace) -> KeychainPlace {
        guard case .single = self.oddity else { return place }
        var place = place
        place.usesDataProtection = false
        return place
    }

    func add(_ item: KeychainItem, to place: KeychainPlace) -> Int32 {
        switch self.oddity {
        case .swallowing: return KeychainStatus.success
        case .single: return self.keychain.add(item, to: self.real(place))
        case .writtenMeanwhile(let newer):
            let status = self.keychain.add(item, to: place)
            let isFirst = self.isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst {
                let query = KeychainQuery(service: newer.service, account: newer.account)
                var before = place
                before.usesDataProtection = false
                _ = self.keychain.update(query, in: before, to: newer)
            }
            return status
        }
    }

    func items(
        _ query: KeychainQuery,
        in place: KeychainPlace,
        secrets: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        self.keychain.items(query, in: self.real(place), secrets: secrets)
    }

    func update(_ query: KeychainQuery, in place: KeychainPlace, to item: KeychainItem) -> Int32 {
        self.keychain.update(query, in: self.real(place), to: item)
    }

    func remove(_ query: KeychainQuery, from place: KeychainPlace) -> Int32 {
        self.keychain.remove(query, from: self.real(place))
    }

    func message(_ status: Int32) -> String? { nil }
}

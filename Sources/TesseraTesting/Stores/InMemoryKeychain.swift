// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraStores
internal import TesseraSupport
package import Tessera

/// An in-memory keychain that behaves like the system keychain.
///
/// Items are identified by service, account and access group. Items in an access group for which the program has no
/// entitlement are not found. While the keychain is locked, it returns no secrets and accepts no items, and items that
/// require an unlocked device are not found.
package final class InMemoryKeychain: KeychainItems {
    package struct Key: Hashable, Sendable {
        package let usesDataProtection: Bool
        package let group: String
        package let service: String
        package let account: String
    }

    /// An item, its key and its accessibility.
    package struct Entry: Sendable {
        package let key: Key
        package var item: KeychainItem
        package var accessibility: KeychainAccessibility
    }

    private struct State {
        var items: [Key: Entry] = [:]
        var calls: [String] = []
        var failures: [String: (status: Int32, count: Int)] = [:]
        var isLocked = false
        var accessGroups = KeychainAccessGroups(program: "program")
    }

    /// The access groups for which the program has an entitlement.
    ///
    /// The first one is the program's default group.
    package let groups: [String]
    private let state = Mutex(State())

    package init(groups: [String] = ["TEAM.program"]) { self.groups = groups }

    /// The names of the calls so far.
    package var calls: [String] { self.state.withLock { $0.calls } }
    /// The keys of the stored items.
    package var keys: [Key] { self.state.withLock { Array($0.items.keys) } }
    package var entries: [Entry] { self.state.withLock { Array($0.items.values) } }
    package var accessibilities: Set<KeychainAccessibility> { Set(self.entries.map(\.accessibility)) }
    /// The access groups that have been determined so far in this process.
    ///
    /// Call ``startProcess(of:)`` to simulate a new process.
    package var accessGroups: KeychainAccessGroups { self.state.withLock { $0.accessGroups } }
    package var everything: [KeychainItem] { self.entries.map(\.item) }

    /// Returns an account's item.
    package func item(of account: Account) -> KeychainItem? {
        self.everything.first { $0.account == AccountKey(account).name }
    }

    /// Makes the next calls with the given name fail.
    package func fail(_ call: String, _ status: Int32, times count: Int = .max) {
        self.state.withLock { $0.failures[call] = (status, count) }
    }
    package func lock(_ isLocked: Bool = true) { self.state.withLock { $0.isLocked = isLocked } }
    /// Simulates a new process for stores that are created from now on.
    package func startProcess(of program: String = "program") {
        self.state.withLock { $0.accessGroups = KeychainAccessGroups(program: program) }
    }
    /// Modifies an account's items directly, in a way that no keychain call does.
    package func damage(_ account: Account, _ change: (inout KeychainItem) -> Void) {
        let name = AccountKey(account).name
        self.state.withLock { state in
            for (key, var entry) in state.items where entry.item.account == name {
                change(&entry.item)
                state.items[key] = entry
            }
        }
    }

    package func add(_ item: KeychainItem, to location: KeychainLocation) -> Int32 {
        self.call("add", location) { state in
            if state.isLocked { return KeychainStatus.interactionNotAllowed }
            let group = location.usesDataProtection ? location.accessGroup ?? self.groups[0] : ""
            let key = Key(
                usesDataProtection: location.usesDataProtection,
                group: group,
                service: item.service,
                account: item.account
            )
            guard state.items[key] == nil else { return KeychainStatus.duplicateItem }
            state.items[key] = Entry(key: key, item: item, accessibility: location.accessibility)
            return KeychainStatus.success
        }
    }

    package func items(
        _ query: KeychainQuery,
        in location: KeychainLocation,
        secrets: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        var found: [KeychainItem] = []
        let status = self.call("items", location) { state in
            for key in self.matches(query, location, state) {
                guard let entry = state.items[key] else { continue }
                if secrets, state.isLocked { return KeychainStatus.interactionNotAllowed }
                if key.usesDataProtection, state.isLocked, entry.accessibility.needsUnlockedDevice { continue }
                var item = entry.item
                if !secrets { item.data = [] }
                if key.usesDataProtection { item.accessGroup = key.group }
                found.append(item)
                if secrets { break }
            }
            return found.isEmpty ? KeychainStatus.itemNotFound : KeychainStatus.success
        }
        return (status, status == KeychainStatus.success ? found : [])
    }

    package func update(_ query: KeychainQuery, in location: KeychainLocation, to item: KeychainItem) -> Int32 {
        self.call("update", location) { state in
            if state.isLocked { return KeychainStatus.interactionNotAllowed }
            let matches = self.matches(query, location, state)
            for key in matches {
                state.items[key]?.item.label = item.label
                state.items[key]?.item.attributes = item.attributes
                state.items[key]?.item.data = item.data
                if location.usesDataProtection { state.items[key]?.accessibility = location.accessibility }
            }
            return matches.isEmpty ? KeychainStatus.itemNotFound : KeychainStatus.success
        }
    }

    package func remove(_ query: KeychainQuery, from location: KeychainLocation) -> Int32 {
        self.call("remove", location) { state in
            let matches = self.matches(query, location, state)
            for key in matches { state.items[key] = nil }
            return matches.isEmpty ? KeychainStatus.itemNotFound : KeychainStatus.success
        }
    }

    package func message(_ status: Int32) -> String? {
        status == KeychainStatus.missingEntitlement ? nil : "status \(status)"
    }

    private func call(_ name: String, _ location: KeychainLocation, _ body: (inout State) -> Int32) -> Int32 {
        self.state.withLock { state in
            state.calls.append(name)
            if let (status, count) = state.failures[name], count > 0 {
                state.failures[name] = (status, count - 1)
                return status
            }
            if location.usesDataProtection, let group = location.accessGroup, !self.groups.contains(group) {
                return KeychainStatus.missingEntitlement
            }
            return body(&state)
        }
    }

    private func matches(_ query: KeychainQuery, _ location: KeychainLocation, _ state: State) -> [Key] {
        state.items.keys
            .filter { key in
                key.usesDataProtection == location.usesDataProtection && key.service == query.service
                    && (query.account == nil || query.account == key.account)
                    && (!location.usesDataProtection
                        || location.accessGroup.map { $0 == key.group } ?? self.groups.contains(key.group))
            }
            .sorted { $0.account < $1.account }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraStores
internal import TesseraSupport
package import Tessera

/// A keychain in memory that answers as the system's does: items are told apart by service, account and access group,
/// an item of a group that the program is not entitled to does not exist for it.
///
/// While it is locked it gives no data, takes no item, and does not find those that need an unlocked device.
package final class InMemoryKeychain: KeychainItems {
    package struct Key: Hashable, Sendable {
        package let usesDataProtection: Bool
        package let group: String
        package let service: String
        package let account: String
    }

    /// An item and its place.
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

    /// The groups that the program is entitled to; the first is its own.
    package let groups: [String]
    private let state = Mutex(State())

    package init(groups: [String] = ["TEAM.program"]) { self.groups = groups }

    /// What was called so far.
    package var calls: [String] { self.state.withLock { $0.calls } }
    /// What is kept.
    package var keys: [Key] { self.state.withLock { Array($0.items.keys) } }
    package var entries: [Entry] { self.state.withLock { Array($0.items.values) } }
    package var accessibilities: Set<KeychainAccessibility> { Set(self.entries.map(\.accessibility)) }
    /// What the process has found out; a new process begins with ``startProcess()``.
    package var accessGroups: KeychainAccessGroups { self.state.withLock { $0.accessGroups } }
    package var everything: [KeychainItem] { self.entries.map(\.item) }

    /// The item of an account.
    package func item(of account: Account) -> KeychainItem? {
        self.everything.first { $0.account == AccountKey(account).name }
    }

    /// The next calls of that name fail.
    package func fail(_ call: String, _ status: Int32, times count: Int = .max) {
        self.state.withLock { $0.failures[call] = (status, count) }
    }
    package func lock(_ isLocked: Bool = true) { self.state.withLock { $0.isLocked = isLocked } }
    /// Lets the stores that are made from now on be those of a new process.
    package func startProcess(of program: String = "program") {
        self.state.withLock { $0.accessGroups = KeychainAccessGroups(program: program) }
    }
    /// Changes the items of an account as no call does.
    package func damage(_ account: Account, _ change: (inout KeychainItem) -> Void) {
        let name = AccountKey(account).name
        self.state.withLock { state in
            for (key, var kept) in state.items where kept.item.account == name {
                change(&kept.item)
                state.items[key] = kept
            }
        }
    }

    package func add(_ item: KeychainItem, to place: KeychainPlace) -> Int32 {
        self.call("add", place) { state in
            if state.isLocked { return KeychainStatus.interactionNotAllowed }
            let group = place.usesDataProtection ? place.accessGroup ?? self.groups[0] : ""
            let key = Key(
                usesDataProtection: place.usesDataProtection,
                group: group,
                service: item.service,
                account: item.account
            )
            guard state.items[key] == nil else { return KeychainStatus.duplicateItem }
            state.items[key] = Entry(key: key, item: item, accessibility: place.accessibility)
            return KeychainStatus.success
        }
    }

    package func items(
        _ query: KeychainQuery,
        in place: KeychainPlace,
        secrets: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        var found: [KeychainItem] = []
        let status = self.call("items", place) { state in
            for key in self.matches(query, place, state) {
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

    package func update(_ query: KeychainQuery, in place: KeychainPlace, to item: KeychainItem) -> Int32 {
        self.call("update", place) { state in
            if state.isLocked { return KeychainStatus.interactionNotAllowed }
            let matches = self.matches(query, place, state)
            for key in matches {
                state.items[key]?.item.label = item.label
                state.items[key]?.item.attributes = item.attributes
                state.items[key]?.item.data = item.data
                if place.usesDataProtection { state.items[key]?.accessibility = place.accessibility }
            }
            return matches.isEmpty ? KeychainStatus.itemNotFound : KeychainStatus.success
        }
    }

    package func remove(_ query: KeychainQuery, from place: KeychainPlace) -> Int32 {
        self.call("remove", place) { state in
            let matches = self.matches(query, place, state)
            for key in matches { state.items[key] = nil }
            return matches.isEmpty ? KeychainStatus.itemNotFound : KeychainStatus.success
        }
    }

    package func message(_ status: Int32) -> String? {
        status == KeychainStatus.missingEntitlement ? nil : "status \(status)"
    }

    private func call(_ name: String, _ place: KeychainPlace, _ body: (inout State) -> Int32) -> Int32 {
        self.state.withLock { state in
            state.calls.append(name)
            if let (status, count) = state.failures[name], count > 0 {
                state.failures[name] = (status, count - 1)
                return status
            }
            if place.usesDataProtection, let group = place.accessGroup, !self.groups.contains(group) {
                return KeychainStatus.missingEntitlement
            }
            return body(&state)
        }
    }

    private func matches(_ query: KeychainQuery, _ place: KeychainPlace, _ state: State) -> [Key] {
        state.items.keys
            .filter { key in
                key.usesDataProtection == place.usesDataProtection && key.service == query.service
                    && (query.account == nil || query.account == key.account)
                    && (!place.usesDataProtection
                        || place.accessGroup.map { $0 == key.group } ?? self.groups.contains(key.group))
            }
            .sorted { $0.account < $1.account }
    }
}

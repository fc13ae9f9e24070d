// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting

/// A keychain in memory that notes whether a call blocked the thread of a task.
final class RecordingKeychain: KeychainItems {
    let keychain = InMemoryKeychain(groups: ["TEAM.program", "TEAM.group"])
    private let isCalledByTask = Mutex(false)

    /// The items, with their places.
    var items: [InMemoryKeychain.Entry] { self.keychain.entries }

    /// Whether a call blocked the thread of a task.
    var wasCalledByTask: Bool { self.isCalledByTask.withLock { $0 } }

    /// From now on every call fails.
    func fail(_ status: Int32) {
        for call in ["add", "items", "update", "remove"] { self.keychain.fail(call, status) }
    }

    var accessGroups: KeychainAccessGroups { self.keychain.accessGroups }

    func add(_ item: KeychainItem, to place: KeychainPlace) -> Int32 {
        self.note()
        return self.keychain.add(item, to: place)
    }

    func items(
        _ query: KeychainQuery,
        in place: KeychainPlace,
        secrets: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        self.note()
        return self.keychain.items(query, in: place, secrets: secrets)
    }

    func update(_ query: KeychainQuery, in place: KeychainPlace, to item: KeychainItem) -> Int32 {
        self.note()
        return self.keychain.update(query, in: place, to: item)
    }

    func remove(_ query: KeychainQuery, from place: KeychainPlace) -> Int32 {
        self.note()
        return self.keychain.remove(query, from: place)
    }

    func message(_ status: Int32) -> String? { nil }

    private func note() {
        if withUnsafeCurrentTask(body: { $0 != nil }) { self.isCalledByTask.withLock { $0 = true } }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting

/// An in-memory keychain that records whether a call blocked a task's thread.
final class RecordingKeychain: KeychainItems {
    let keychain = InMemoryKeychain(groups: ["TEAM.program", "TEAM.group"])
    private let isCalledByTask = Mutex(false)

    /// The items with their locations.
    var items: [InMemoryKeychain.Entry] { self.keychain.entries }

    /// Whether a call blocked a task's thread.
    var wasCalledByTask: Bool { self.isCalledByTask.withLock { $0 } }

    /// Makes every later call fail with `status`.
    func fail(_ status: Int32) {
        for call in ["add", "items", "update", "remove"] { self.keychain.fail(call, status) }
    }

    var accessGroups: KeychainAccessGroups { self.keychain.accessGroups }

    func add(_ item: KeychainItem, to location: KeychainLocation) -> Int32 {
        self.note()
        return self.keychain.add(item, to: location)
    }

    func items(
        _ query: KeychainQuery,
        in location: KeychainLocation,
        secrets: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        self.note()
        return self.keychain.items(query, in: location, secrets: secrets)
    }

    func update(_ query: KeychainQuery, in location: KeychainLocation, to item: KeychainItem) -> Int32 {
        self.note()
        return self.keychain.update(query, in: location, to: item)
    }

    func remove(_ query: KeychainQuery, from location: KeychainLocation) -> Int32 {
        self.note()
        return self.keychain.remove(query, from: location)
    }

    func message(_ status: Int32) -> String? { nil }

    private func note() {
        if withUnsafeCurrentTask(body: { $0 != nil }) { self.isCalledByTask.withLock { $0 = true } }
    }
}

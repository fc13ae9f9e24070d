// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera

/// A keychain in memory that shows what it was given.
final class RecordingKeychain: KeychainItems {
    private struct State {
        var items: [String: (item: KeychainItem, place: KeychainPlace)] = [:]
        var failure: Int32?
        var wasCalledByTask = false
    }

    private let state = Mutex(State())

    var items: [(item: KeychainItem, place: KeychainPlace)] { self.state.withLock { Array($0.items.values) } }

    /// Whether a call blocked the thread of a task.
    var wasCalledByTask: Bool { self.state.withLock { $0.wasCalledByTask } }

    /// From now on every call fails.
    func fail(_ status: Int32) { self.state.withLock { $0.failure = status } }

    func add(_ item: KeychainItem, to place: KeychainPlace) -> Int32 {
        self.call { state in
            guard state.items[item.service] == nil else { return KeychainStatus.duplicateItem }
            state.items[item.service] = (item, place)
            return KeychainStatus.success
        }
    }

    func items(
        _ query: KeychainQuery,
        in place: KeychainPlace,
        secrets: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        self.state.withLock { state in
            state.wasCalledByTask = state.wasCalledByTask || Self.isInTask
            if let failure = state.failure { return (failure, []) }
            guard let found = state.items[query.service], found.item.account == query.account else {
                return (KeychainStatus.itemNotFound, [])
            }
            return (KeychainStatus.success, [found.item])
        }
    }

    func update(_ query: KeychainQuery, in place: KeychainPlace, to item: KeychainItem) -> Int32 {
        self.call { state in
            guard state.items[query.service] != nil else { return KeychainStatus.itemNotFound }
            state.items[query.service] = (item, place)
            return KeychainStatus.success
        }
    }

    func remove(_ query: KeychainQuery, from place: KeychainPlace) -> Int32 {
        self.call { $0.items.removeValue(forKey: query.service) == nil ? KeychainStatus.itemNotFound : 0 }
    }

    func message(_ status: Int32) -> String? { nil }

    private func call(_ body: (inout State) -> Int32) -> Int32 {
        self.state.withLock { state in
            state.wasCalledByTask = state.wasCalledByTask || Self.isInTask
            return state.failure ?? body(&state)
        }
    }

    private static var isInTask: Bool { withUnsafeCurrentTask { $0 != nil } }
}

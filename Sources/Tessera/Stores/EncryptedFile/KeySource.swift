// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Where a file store's keys come from: every call blocks, and only a ``BlockingExecutor`` may make it.
package enum KeySource: Sendable {
    /// A file outside the store, made at first use.
    case file(KeyFile)
    /// The caller has them.
    case given(StoreKeys)
    /// Somebody is asked: a keyring, for example.
    case asked(AskedKey)

    /// What an error names.
    var place: String {
        switch self {
        case .file(let file): file.path
        case .given: "the keys given to the store"
        case .asked(let asked): asked.place
        }
    }

    /// The directory of a key file, which may not lie in the store's.
    var directory: String? {
        if case .file(let file) = self { file.directory } else { nil }
    }

    /// The keys, nil where none were made yet.
    func read() throws(StoreError) -> StoreKeys? {
        switch self {
        case .file(let file): try file.read().map { StoreKeys($0) }
        case .given(let keys): keys
        case .asked(let asked): try asked.read()
        }
    }

    /// Makes a key, or takes the one that another process has made meanwhile.
    func make() throws(StoreError) -> StoreKeys {
        switch self {
        case .file(let file): StoreKeys(try file.make())
        case .given(let keys): keys
        case .asked(let asked): try asked.make()
        }
    }
}

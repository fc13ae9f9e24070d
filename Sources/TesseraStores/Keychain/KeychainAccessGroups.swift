// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The access groups of this process in a keychain.
///
/// Each is found out once, by adding an item, and shared by all stores.
///
/// The same item tells whether the keychain can be used yet: on a device that has not been unlocked since it was started,
/// queries may simply find nothing. Every call blocks.
package final class KeychainAccessGroups: Sendable {
    private static let service = "dev.tessera.probes"

    private let program: String
    /// The groups by the group that was asked for.
    ///
    /// The file-based keychain is not here: it has no groups.
    private let resolved = Mutex<[String?: String?]>([:])

    /// Creates the groups of a process.
    ///
    /// - Parameter program: The account of the item that is added and removed. Programs with other groups need other names;
    ///   the processes of one program share one, so that a process that was killed leaves at most one item behind.
    package init(program: String) { self.program = program }

    /// Returns the place with its group, or the status with which the keychain refused the item.
    func resolve(_ place: KeychainPlace, in keychain: any KeychainItems) -> (status: Int32, place: KeychainPlace) {
        guard place.usesDataProtection else { return (KeychainStatus.success, place) }
        return self.resolved.withLock { resolved in
            var named = place
            if let group = resolved[place.accessGroup] {
                named.accessGroup = group
                return (KeychainStatus.success, named)
            }
            let (status, group) = self.group(of: place, in: keychain)
            guard status == KeychainStatus.success else { return (status, place) }
            named.accessGroup = place.accessGroup ?? group
            resolved.updateValue(named.accessGroup, forKey: place.accessGroup)
            return (KeychainStatus.success, named)
        }
    }

    /// Returns 0 if an item with the place's accessibility can be added now, or the status that says why not.
    func probe(_ place: KeychainPlace, in keychain: any KeychainItems) -> Int32 {
        self.resolved.withLock { _ in self.group(of: place, in: keychain).status }
    }

    /// Adds an item, looks in which group it is, and removes it.
    ///
    /// The lock is held, so that two threads do not interfere.
    private func group(of place: KeychainPlace, in keychain: any KeychainItems) -> (status: Int32, group: String?) {
        let item = KeychainItem(service: Self.service, account: self.program, label: "", attributes: [], data: [1])
        let query = KeychainQuery(service: item.service, account: item.account)
        // Another process of the program may remove the item between two calls.
        for _ in 0..<8 {
            // A process that was killed may have left one behind, perhaps in a group that was the first one then.
            _ = keychain.remove(query, from: place)
            let added = keychain.add(item, to: place)
            guard added == KeychainStatus.success || added == KeychainStatus.duplicateItem else { return (added, nil) }
            let (status, items) = keychain.items(query, in: place, secrets: false)
            if status == KeychainStatus.itemNotFound || items.count > 1 { continue }
            _ = keychain.remove(query, from: place)
            return (status, items.first?.accessGroup)
        }
        return (KeychainStatus.notAvailable, nil)
    }
}

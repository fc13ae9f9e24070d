// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera

/// Where the records of accounts are, with the names of the stores.
struct StoragePlaces {
    let volume: SimulatedVolume
    let keyring: SimulatedKeyring
    var directory: (path: String, name: String)?
    var service: (service: String, name: String)?
    #if PostgreSQL
    var database: (database: SimulatedDatabase, name: String)?
    #endif

    init(_ volume: SimulatedVolume, _ keyring: SimulatedKeyring) { (self.volume, self.keyring) = (volume, keyring) }

    /// Damages the record of an account wherever there is one.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - other: The account whose record may take its place.
    ///   - damage: The damage.
    ///   - position: Any number, which selects the byte that is changed.
    /// - Returns: The names of the stores.
    func damage(_ account: Account, _ other: Account, _ damage: StorageDamage, at position: Int) -> [String] {
        let (key, other) = (AccountKey(account), AccountKey(other))
        var names: [String] = []
        if let (path, name) = self.directory, self.volume.damage(key, other, in: path, damage, at: position) {
            names.append(name)
        }
        if let (service, name) = self.service, self.keyring.damage(key, other, in: service, damage, at: position) {
            names.append(name)
        }
        #if PostgreSQL
        if let (database, name) = self.database, database.damage(key, other, damage, at: position) {
            names.append(name)
        }
        #endif
        return names
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
#if PostgreSQL
internal import TesseraPostgreSQL
#endif
internal import TesseraStores
internal import TesseraSupport

/// A store of an archive as one of the processes sees it.
///
/// An archive has records that no session uses. Its disk, keyring or database is damaged in more ways than those of
/// sessions.
struct ProcessArchive: Sendable {
    /// The directory of an archive on its disk.
    static let directory = "/archive/sessions"
    /// The service of an archive in its keyring.
    static let service = "archive"

    let store: any SessionStore
    /// The name of the storage that the store shares with others.
    let name: String
    var files: EncryptedFileStore?
    var values: (any TransientStore)?
    /// Encrypts all records with the current key, or nil if the store cannot.
    var reseal: (@Sendable () async throws -> Int)?
}

extension SimulatedProcess {
    /// Returns the archive for programs with a kind of store, or nil for those that use the keyring.
    func archive(_ kind: SessionPlan.StoreKind?, keys: StoreKeys) throws -> ProcessArchive {
        let executor = BlockingExecutor { self.block($0) }
        let volume = ProcessVolume(volume: self.machine.archive.volume, process: self)
        switch kind {
        case .files:
            let store = EncryptedFileStore(
                directory: ProcessArchive.directory,
                on: volume,
                keys: keys,
                clock: self.clock,
                executor: executor
            )
            return ProcessArchive(store: store, name: "archive of machine \(self.machine.id)", files: store)
        case .memory:
            let store = InMemoryStore()
            return ProcessArchive(store: store, name: "archive of process \(self.id)", values: store)
        case .database:
            #if PostgreSQL
            let store = try self.database(self.simulation.archive, keys: keys)
            return ProcessArchive(
                store: store,
                name: "archive",
                values: store,
                reseal: { try await store.reseal(batch: 2) }
            )
            #else
            throw SimulationError.unavailable
            #endif
        case nil:
            let locks = AccountLocks(
                timeout: .seconds(60),
                clock: self.clock,
                executor: executor,
                location: { "/archive/locks/\($0.name).lock" },
                opening: { key in try StoreError.mapping(volume.lock("/archive/locks/\(key.name).lock")) }
            )
            let store = KeychainSessionStore(
                ProcessKeyring(process: self, machineKeyring: self.machine.archive.keyring),
                location: KeychainLocation(
                    usesDataProtection: self.simulation.seed.isMultiple(of: 2),
                    accessGroup: nil,
                    accessibility: .whenUnlockedThisDeviceOnly,
                    hasFileBasedKeychain: true
                ),
                service: ProcessArchive.service,
                locks: locks,
                executor: executor
            )
            return ProcessArchive(store: store, name: "archive in keyring of machine \(self.machine.id)")
        }
    }

    #if PostgreSQL
    /// Returns a store in a database.
    func database(_ database: SimulatedDatabase, keys: StoreKeys) throws -> PostgreSQLStore {
        try PostgreSQLStore(
            simulating: ProcessDatabase(database: database, process: self),
            keys: keys,
            clock: self.clock,
            executor: BlockingExecutor { self.block($0) }
        )
    }
    #endif
}

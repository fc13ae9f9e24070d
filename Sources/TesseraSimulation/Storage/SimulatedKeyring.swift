// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraStores
internal import TesseraSupport

/// A machine's keyring, which all of its processes share.
///
/// Its items are durable. While it is locked, or if it fails, it neither returns nor changes any item.
final class SimulatedKeyring: Sendable {
    struct Key: Hashable {
        let service: String
        let account: String
    }

    struct State {
        var random: SeededGenerator
        var items: [Key: KeychainItem] = [:]
        var isLocked = false
        /// The probability that a call fails, in percent.
        var failing = 0
        /// The status of every call, or nil if the keyring works.
        var status: Int32?
        /// The items that cannot be decoded.
        var undecodable: Set<Key> = []
        /// Whether the data of a probe is lost.
        var isForgetful = false
        /// Whether a program without locks adds the next new item first.
        var isOvertaken = false
    }

    let state: Mutex<State>

    init(random: SeededGenerator) { self.state = Mutex(State(random: random)) }

    func setLocked(_ isLocked: Bool) { self.state.withLock { $0.isLocked = isLocked } }

    func setFailing(_ percent: Int) { self.state.withLock { $0.failing = percent } }

    func removeAll() { self.state.withLock { $0.items = [:] } }

    fileprivate func add(_ item: KeychainItem) -> Int32 {
        self.call { state in
            let key = Key(service: item.service, account: item.account)
            guard state.items[key] == nil else { return KeychainStatus.duplicateItem }
            state.items[key] = item
            return KeychainStatus.success
        }
    }

    fileprivate func items(_ query: KeychainQuery) -> (status: Int32, items: [KeychainItem]) {
        var found: [KeychainItem] = []
        let status = self.call { state in
            let keys = Self.keys(query, state)
            if query.account != nil, keys.contains(where: state.undecodable.contains) { return KeychainStatus.decode }
            found = keys.compactMap { state.items[$0] }
            if state.isForgetful, query.service.hasSuffix(".probes") {
                for index in found.indices { found[index].data = [] }
            }
            return found.isEmpty ? KeychainStatus.itemNotFound : KeychainStatus.success
        }
        return (status, found)
    }

    fileprivate func update(_ query: KeychainQuery, to item: KeychainItem) -> Int32 {
        self.call { state in
            let keys = Self.keys(query, state)
            for key in keys { state.items[key] = item }
            state.undecodable.subtract(keys)
            if keys.isEmpty, state.isOvertaken {
                state.isOvertaken = false
                state.items[Key(service: item.service, account: item.account)] = item
            }
            return keys.isEmpty ? KeychainStatus.itemNotFound : KeychainStatus.success
        }
    }

    fileprivate func remove(_ query: KeychainQuery) -> Int32 {
        self.call { state in
            let keys = Self.keys(query, state)
            for key in keys { state.items[key] = nil }
            state.undecodable.subtract(keys)
            return keys.isEmpty ? KeychainStatus.itemNotFound : KeychainStatus.success
        }
    }

    private func call(_ body: (inout State) -> Int32) -> Int32 {
        self.state.withLock { state in
            if let status = state.status { return status }
            if state.isLocked { return KeychainStatus.interactionNotAllowed }
            if state.failing > 0, state.random.chance(state.failing) { return KeychainStatus.notAvailable }
            return body(&state)
        }
    }

    private static func keys(_ query: KeychainQuery, _ state: State) -> [Key] {
        state.items.keys
            .filter { $0.service == query.service && (query.account == nil || query.account == $0.account) }
            .sorted { $0.account < $1.account }
    }
}

/// A keyring as one of the processes sees it.
struct ProcessKeyring: KeychainItems {
    let process: SimulatedProcess
    /// The keyring of the process's machine that is used.
    let machineKeyring: SimulatedKeyring
    let accessGroups = KeychainAccessGroups(program: "simulation")

    private var keyring: SimulatedKeyring? { self.process.mayOperate() ? self.machineKeyring : nil }

    func add(_ item: KeychainItem, to location: KeychainLocation) -> Int32 {
        self.keyring?.add(item) ?? KeychainStatus.notAvailable
    }

    func items(
        _ query: KeychainQuery,
        in location: KeychainLocation,
        secrets: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        self.keyring?.items(query) ?? (KeychainStatus.notAvailable, [])
    }

    func update(_ query: KeychainQuery, in location: KeychainLocation, to item: KeychainItem) -> Int32 {
        self.keyring?.update(query, to: item) ?? KeychainStatus.notAvailable
    }

    func remove(_ query: KeychainQuery, from location: KeychainLocation) -> Int32 {
        self.keyring?.remove(query) ?? KeychainStatus.notAvailable
    }

    func message(_ status: Int32) -> String? { nil }
}

extension SimulatedProcess {
    /// Returns a store in the machine's keyring, which all processes of the machine share.
    public func keyringStore() -> any SessionStore { self.recordingKeyringStore() }

    func recordingKeyringStore() -> RecordingStore {
        let executor = BlockingExecutor { self.block($0) }
        let volume = ProcessVolume(volume: self.machine.volume, process: self)
        let locks = AccountLocks(
            timeout: .seconds(60),
            clock: self.clock,
            executor: executor,
            location: { "/home/user/locks/\($0.name).lock" },
            opening: { try volume.lock("/home/user/locks/\($0.name).lock") }
        )
        return RecordingStore(
            KeychainSessionStore(
                ProcessKeyring(process: self, machineKeyring: self.machine.keyring),
                location: KeychainLocation(
                    usesDataProtection: false,
                    accessGroup: nil,
                    accessibility: .afterFirstUnlockThisDeviceOnly,
                    hasFileBasedKeychain: true
                ),
                service: "sessions",
                locks: locks,
                executor: executor
            ),
            process: self,
            name: self.machine.keyringName
        )
    }
}

extension SimulatedMachine {
    /// The name of the store in the keyring.
    var keyringName: String { "keyring of machine \(self.id)" }

    /// Removes all items from the keyring, as if the user had reset it.
    public func resetKeyring() {
        self.keyring.removeAll()
        self.simulation.record(.keyringReset(store: self.keyringName), by: .machine(self.id))
    }

    /// Locks the keyring, or unlocks it.
    public func setKeyringLocked(_ isLocked: Bool) {
        self.keyring.setLocked(isLocked)
        self.simulation.record(isLocked ? .keyringFails : .keyringWorks, by: .machine(self.id))
    }

    /// Makes calls of the keyring fail because it is unavailable.
    ///
    /// - Parameter percent: The probability of an error, in percent. 0 makes the keyring reliable again.
    public func setKeyringErrors(percent: Int) {
        self.keyring.setFailing(percent)
        self.simulation.record(percent > 0 ? .keyringFails : .keyringWorks, by: .machine(self.id))
    }
}

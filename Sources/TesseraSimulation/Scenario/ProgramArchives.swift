// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
#if PostgreSQL
internal import TesseraPostgreSQL
#endif
internal import TesseraStores
internal import TesseraSupport

/// The operations of programs on stores instead of sessions, which have their own random numbers.
///
/// Most of them use archives, so that damage does not end sessions. The others list, probe, read or encrypt the stores
/// of sessions.
final class ProgramArchives: Sendable {
    struct State {
        var random: SeededGenerator
        var checker = ArchiveChecker()
        var archives: [ProcessID: ProcessArchive] = [:]
        var values = SavedValues()
    }

    let simulation: Simulation
    let provider: Provider
    let state: Mutex<State>

    init(in simulation: Simulation, provider: Provider) {
        self.simulation = simulation
        self.provider = provider
        self.state = Mutex(State(random: simulation.generator(.stores, 1)))
    }

    /// Performs an operation, and fails with the texts that a program would show to its user.
    func perform(_ operation: SessionOperation, _ id: Int, in program: SimulatedProgram) async throws {
        do {
            try await self.result(of: operation, id, in: program)
        } catch let error as StoreError {
            let retry = error.isRetryable ? "Try again later." : nil
            let consequence = error.endsSession ? "The session has ended." : retry
            let words = ["\(error).", consequence, error.recoverySuggestion].compactMap { $0 }
            throw UnsuccessfulError(description: words.joined(separator: " "))
        }
    }

    private func result(of operation: SessionOperation, _ id: Int, in program: SimulatedProgram) async throws {
        switch operation.kind {
        case .accounts: return try await self.listAccounts(id, in: program)
        case .probe: return try await program.store.probe()
        case .keyChange: return try await self.changeKey(in: program)
        case .otherKey: return try await self.readWithOtherKey(in: program)
        default: break
        }
        let (archive, account) = (try self.archive(of: program), Account(named: operation.subject))
        let before = self.state.withLock { $0.checker }
        do {
            switch operation.kind {
            case .archive: try await self.save(account, in: archive)
            case .archiveHold: try await self.hold(account, in: archive, program.process)
            case .archived: try await self.load(account, in: archive)
            case .archives: try await self.list(archive, program.process)
            case .archiveRemoval: try await self.remove(account, in: archive)
            case .archiveMisuse: try await self.misuse(account, in: archive)
            case .archiveOtherKey: try await self.saveWithOtherKey(account, in: program)
            case .archiveProbe: try await archive.store.probe()
            case .archiveKeyChange: _ = try await self.nextArchive(of: program).reseal?()
            case .value: try await self.useValues(archive)
            default: break
            }
        } catch let error as StoreError {
            self.check(error, operation, in: archive, since: before)
            throw error
        }
    }

    /// Checks that a record is reported as damaged, or its key as missing, only if that is true.
    private func check(
        _ error: StoreError,
        _ operation: SessionOperation,
        in archive: ProcessArchive,
        since before: ArchiveChecker
    ) {
        let isWrong =
            switch error.code {
            case .corrupt, .newerFormat:
                !self.state.withLock { $0.checker.mayBeDamaged(archive.name, since: before) }
            case .keyMissing: operation.kind != .archiveOtherKey
            case .notPersisted: operation.kind != .archiveProbe
            default: false
            }
        if isWrong { self.report("\(archive.name) failed although its records were not damaged: \(error)") }
    }

    func report(_ detail: String) { self.simulation.report(.usableTokenIsNotLost, detail) }

    // MARK: Stores of sessions

    private func listAccounts(_ id: Int, in program: SimulatedProgram) async throws {
        let accounts = try await program.store.list()
        let action = SimulationEvent.Action.listed(id, accounts.map(\.name), store: program.store.name)
        self.simulation.record(action, by: .process(program.process.id))
    }

    /// Encrypts all records with the next key, which the other programs know already.
    private func changeKey(in program: SimulatedProgram) async throws {
        #if PostgreSQL
        guard program.kind == .database else { return }
        let keys = self.simulation.nextStoreKeys
        _ = try await program.process.database(self.simulation.database, keys: keys).reseal()
        #endif
    }

    /// Reads each record with a key that does not decrypt it.
    private func readWithOtherKey(in program: SimulatedProgram) async throws {
        let accounts = try await program.store.list()
        guard let store = try program.process.store(program.kind, keys: self.simulation.otherStoreKeys) else { return }
        for account in accounts {
            do {
                guard try await store.load(account) != nil else { continue }
                self.report("the record of \(account.name) was decrypted with another key")
            } catch StoreError.Code.keyMissing {}
        }
    }
}

/// An error that a program shows to its user.
struct UnsuccessfulError: Error, CustomStringConvertible {
    let description: String
}

extension SimulatedProcess {
    /// Returns a store of sessions with other keys, or nil if the store has no keys.
    fileprivate func store(_ kind: SessionPlan.StoreKind?, keys: StoreKeys) throws -> (any SessionStore)? {
        switch kind {
        case .files:
            return EncryptedFileStore(
                directory: "/home/user/sessions",
                on: ProcessVolume(volume: self.machine.volume, process: self),
                keys: keys,
                clock: self.clock,
                executor: BlockingExecutor { self.block($0) }
            )
        case .database:
            #if PostgreSQL
            return try self.database(self.simulation.database, keys: keys)
            #else
            return nil
            #endif
        case .memory, nil: return nil
        }
    }
}

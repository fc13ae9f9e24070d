// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport

extension ProgramArchives {
    // MARK: Archives

    /// `String(repeating:count:)` would append one character at a time.
    private static let longName = String(decoding: [UInt8](repeating: UInt8(ascii: "a"), count: 60_000), as: UTF8.self)

    /// Returns the archive of a program's process, which every second process opens with the next key.
    func archive(of program: SimulatedProgram) throws -> ProcessArchive {
        let id = program.process.id
        if let known = self.state.withLock({ $0.archives[id] }) { return known }
        let keys = id.isMultiple(of: 2) ? self.simulation.storeKeys : self.simulation.nextStoreKeys
        let archive = try program.process.archive(program.kind, keys: keys)
        self.state.withLock { $0.archives[id] = archive }
        return archive
    }

    /// Returns the archive of a program with the next key.
    func nextArchive(of program: SimulatedProgram) throws -> ProcessArchive {
        try program.process.archive(program.kind, keys: self.simulation.nextStoreKeys)
    }

    private func chance(_ percent: Int) -> Bool { self.state.withLock { $0.random.chance(percent) } }

    private func entry(_ account: Account, _ archive: ProcessArchive) -> ArchiveChecker.Entry {
        self.state.withLock { $0.checker[archive.name, account] }
    }

    private func change(
        _ account: Account,
        _ archive: ProcessArchive,
        _ body: (inout ArchiveChecker.Entry) -> Void
    ) { self.state.withLock { body(&$0.checker[archive.name, account]) } }

    /// Returns the record of a generation, which is long in some cases.
    private func record(_ account: Account, _ generation: Int64) -> SessionRecord {
        let isLong = self.chance(15)
        return SessionRecord(
            account: account,
            generation: generation,
            tokens: ArchiveChecker.tokens(of: account, generation),
            grantedScopes: GrantedScopes(requested: ["files"], granted: ["files"]),
            identity: Identity(name: isLong ? Self.longName : nil),
            provider: self.provider,
            authorizedOrigins: self.provider.authorizedOrigins,
            history: SessionHistory(consentedAt: self.simulation.date(offsetBy: 0))
        )
    }

    private func mark(_ generation: Int64) -> RefreshMark {
        RefreshMark(begunAt: self.simulation.date(offsetBy: 0), generation: generation)
    }

    /// Loads a record and checks it.
    private func checked(
        _ account: Account,
        in archive: ProcessArchive,
        _ load: () async throws -> SessionRecord?
    ) async throws -> SessionRecord? {
        let before = self.entry(account, archive)
        let record = try await load()
        let problem = self.state.withLock { $0.checker.problem(record, of: account, in: archive.name, since: before) }
        if let problem { self.report(problem) }
        return record
    }

    func load(_ account: Account, in archive: ProcessArchive) async throws {
        _ = try await self.checked(account, in: archive) { try await archive.store.load(account) }
    }

    /// Saves a new record, after loading or marking the former one in some cases.
    func save(_ account: Account, in archive: ProcessArchive) async throws {
        try await archive.store.update(account) { entry in
            if self.chance(70) { _ = try? await self.checked(account, in: archive, entry.load) }
            if self.chance(50) { try await entry.mark(self.mark(self.entry(account, archive).newest)) }
            if self.chance(20) { try await entry.mark(nil) }
            try await self.save(account, with: entry, in: archive)
        }
    }

    private func save(_ account: Account, with entry: SessionStoreEntry, in archive: ProcessArchive) async throws {
        let generation = self.state.withLock { state in
            state.checker[archive.name, account].newest += 1
            return state.checker[archive.name, account].newest
        }
        try await entry.save(self.record(account, generation))
        self.change(account, archive) { $0.saved = max($0.saved, generation) }
    }

    /// Loads a record and saves another one after a while, as during a refresh.
    func hold(_ account: Account, in archive: ProcessArchive, _ process: SimulatedProcess) async throws {
        // A waiting process gives up after ten minutes.
        let seconds = self.state.withLock { $0.random.chance(15) ? 700 : 1 + $0.random.below(20) }
        try await archive.store.update(account) { entry in
            _ = try? await self.checked(account, in: archive, entry.load)
            try await process.clock.sleep(for: .seconds(seconds))
            if self.chance(50) { try await entry.mark(self.mark(self.entry(account, archive).newest)) }
            try await self.save(account, with: entry, in: archive)
        }
    }

    /// Removes a record, also one that could not be saved.
    func remove(_ account: Account, in archive: ProcessArchive) async throws {
        if self.chance(40) {
            return try await archive.store.update(account) { entry in
                try? await self.save(account, with: entry, in: archive)
                let newest = self.entry(account, archive).newest
                self.change(account, archive) { $0.removing = max($0.removing, newest) }
                try await entry.remove()
                self.change(account, archive) { $0.removed = max($0.removed, newest) }
            }
        }
        let newest = self.entry(account, archive).newest
        self.change(account, archive) { $0.removals += 1 }
        defer {
            self.change(account, archive) { entry in
                entry.removals -= 1
                entry.removing = max(entry.removing, entry.newest)
            }
        }
        try await archive.store.remove(account)
        self.change(account, archive) { $0.removed = max($0.removed, newest) }
    }

    /// Lists the accounts, and reads all records of files at once.
    func list(_ archive: ProcessArchive, _ process: SimulatedProcess) async throws {
        let before = self.state.withLock { $0.checker }
        let accounts = try await archive.store.list()
        // A killed process reads no more files, and the list skips those that cannot be read.
        guard process.isRunning else { throw CancellationError() }
        let problem = self.state.withLock { $0.checker.problem(accounts, in: archive.name, since: before) }
        if let problem { self.report(problem) }
        guard let files = archive.files else { return }
        let unreadable = try await files.unreadableFiles().filter { [.corrupt, .newerFormat].contains($0.code) }
        let mayBeDamaged = self.state.withLock { $0.checker.mayBeDamaged(archive.name, since: before) }
        if let error = unreadable.first, !mayBeDamaged {
            self.report("\(archive.name) has an unreadable file, but none was damaged: \(error)")
        }
        let current = self.state.withLock { $0.checker }
        for (account, result) in try files.recordsBlocking() ?? [] {
            guard case .success(let record) = result else { continue }
            let entry = current[archive.name, account]
            if let problem = current.problem(record, of: account, in: archive.name, since: entry) {
                self.report(problem)
            }
        }
    }

    /// Uses the store in ways that it must reject.
    func misuse(_ account: Account, in archive: ProcessArchive) async throws {
        let task = self.simulation.start { try await archive.store.update(account) { _ in } }
        task.cancel()
        _ = await task.result
        let late = try await archive.store.update(account) { $0 }
        await self.expectFailure("\(archive.name) was read after an update had ended") { _ = try await late.load() }
        let other = Account(named: account.name + " and others")
        let record = self.record(other, 1)
        await self.expectFailure("\(archive.name) saved the record of another account") {
            try await archive.store.update(account) { try await $0.save(record) }
        }
    }

    private func expectFailure(_ problem: String, _ body: () async throws -> Void) async {
        do {
            try await body()
            self.simulation.report(.accountsAreSeparate, problem)
        } catch {}
    }

    /// Tries to replace a record with a key that does not decrypt it.
    func saveWithOtherKey(_ account: Account, in program: SimulatedProgram) async throws {
        guard program.kind == .files || program.kind == .database else { return }
        let other = try program.process.archive(program.kind, keys: self.simulation.otherStoreKeys)
        let record = self.record(account, .max)
        try await other.store.update(account) { entry in
            do {
                if try await entry.load() != nil { self.report("\(other.name) was decrypted with another key") }
            } catch StoreError.Code.keyMissing {
                try await entry.save(record)
                self.report("\(other.name) replaced a record with another key")
            }
        }
    }

    // MARK: Values

    /// Saves a value with an expiration time, reads it, and takes one that any process has saved.
    func useValues(_ archive: ProcessArchive) async throws {
        guard let store = archive.values else { return }
        let now = self.simulation.date(offsetBy: 0)
        let value = self.state.withLock { $0.values.add(to: archive.name, at: now, &$0.random) }
        try await store.save(value.content, as: value.name, until: value.end, now: now)
        self.state.withLock { $0.values.change(value) { $0.isSaved = true } }
        try await self.checked(value) { try await store.content(of: value.name, now: $0) }
        let (known, taken) = self.state.withLock { state in
            let any = (0..<2).map { _ in state.values.any(in: archive.name, &state.random) ?? value }
            return (any[0], any[1])
        }
        try await self.checked(known) { try await store.content(of: known.name, now: $0) }
        self.state.withLock { $0.values.change(taken) { $0.takes += 1 } }
        if try await self.checked(taken, { try await store.take(taken.name, now: $0) }) {
            let takes = self.state.withLock { state in
                state.values.change(taken) { $0.timesTaken += 1 }
                return state.values[taken].timesTaken
            }
            if takes > 1 { self.report("\(archive.name) returned a value twice") }
        }
        guard archive.store is InMemoryStore else { return }
        // A store in memory removes expired values only if it has many.
        for number in 0..<300 { try await store.save([1], as: "\(value.name) \(number)", until: value.end, now: now) }
    }

    /// Returns whether a value was found, after comparing it with what was saved.
    @discardableResult
    private func checked(_ value: SavedValues.Value, _ find: (Date) async throws -> [UInt8]?) async throws -> Bool {
        let now = self.simulation.date(offsetBy: 0)
        guard let found = try await find(now) else {
            let known = self.state.withLock { $0.values[value] }
            if known.isSaved, known.takes == 0, self.simulation.date(offsetBy: 0) < value.end {
                self.report("a value that was saved and not taken was lost")
            }
            return false
        }
        if found != value.content || now >= value.end { self.report("a wrong or expired value was returned") }
        return true
    }
}

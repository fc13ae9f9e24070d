// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
public import Tessera
internal import TesseraPostgreSQL
internal import TesseraSupport

/// A PostgreSQL server with the tables of sessions and leases.
///
/// It executes the statements of the store, each in its own transaction. A connection can be lost before or after a
/// statement is executed, so that its outcome is unknown to the process.
final class SimulatedDatabase: Sendable {
    struct Row: Sendable {
        var account: [SQLValue]
        var generation: Int64?
        var keyID: [UInt8]
        var record: [UInt8]
        /// The time and generation of a refresh mark, in rows of an earlier version.
        var mark = [SQLValue(nil as Int64?), SQLValue(nil as Int64?)]
    }

    struct LeaseRow: Sendable {
        let owner: [UInt8]
        let process: ProcessID
        /// The time at which the lease expires, in nanoseconds.
        let until: Int64
    }

    struct State {
        var random: SeededGenerator
        var rows: [[UInt8]: Row] = [:]
        var leases: [[UInt8]: LeaseRow] = [:]
        /// The names of all accounts that have ever been saved.
        var subjects: [[UInt8]: String] = [:]
        /// The processes that have lost a lease on each account since they acquired it.
        var losers: [[UInt8]: Set<ProcessID>] = [:]
        /// The changes of leases that have not been recorded.
        var changes: [SimulationEvent.Action] = []
        var probe: [UInt8]?
        /// Whether the row of a probe is lost.
        var isForgetful = false
        /// The values with an expiration time, and these times in seconds.
        var transients: [[UInt8]: (content: [UInt8], end: Double)] = [:]
        /// The probability in percent that a connection is lost before a statement is executed, and also that it is
        /// lost afterward.
        var loss = 0
        var isRunning = true
        var startedAt: Int64 = 0
        /// Whether the text of each statement that writes under a lease compares the lease's owner.
        var ownerChecks: [String?: Bool] = [:]

        mutating func checksOwner(_ statement: SQLStatement) -> Bool {
            if let isChecked = self.ownerChecks[statement.name] { return isChecked }
            let isChecked = statement.sql.contains("AND owner = $2::uuid")
            self.ownerChecks[statement.name] = isChecked
            return isChecked
        }
    }

    private struct ConnectionLostError: Error {}

    let state: Mutex<State>

    init(random: SeededGenerator) { self.state = Mutex(State(random: random)) }

    func setLoss(_ percent: Int) { self.state.withLock { $0.loss = percent } }

    /// Stops the server, or starts it again with what was committed.
    func setRunning(_ isRunning: Bool, at time: Int64) {
        self.state.withLock { state in
            state.isRunning = isRunning
            if isRunning { state.startedAt = time }
        }
    }

    /// Removes all leases, and returns which processes had them.
    func loseLeases() -> [SimulationEvent.Action] {
        self.state.withLock { state in
            let leases = state.leases.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            state.leases = [:]
            for (account, lease) in leases { state.losers[account, default: []].insert(lease.process) }
            return leases.map { .leaseLost(subject: state.subjects[$0.key] ?? "", of: $0.value.process) }
        }
    }

    /// Executes a statement of a process.
    ///
    /// - Returns: The rows, or an error if the connection is lost, and the leases that were lost or acquired again.
    func run(
        _ statement: SQLStatement,
        _ values: [SQLValue],
        at time: Int64,
        by process: ProcessID
    ) -> (rows: Result<[[SQLValue]], any Error>, changes: [SimulationEvent.Action]) {
        self.state.withLock { state in
            guard state.isRunning, !state.random.chance(state.loss) else {
                return (.failure(ConnectionLostError()), [])
            }
            let rows = Self.execute(statement, values, time, process, &state)
            defer { state.changes = [] }
            if state.random.chance(state.loss) { return (.failure(ConnectionLostError()), state.changes) }
            return (.success(rows), state.changes)
        }
    }

    private static func execute(
        _ statement: SQLStatement,
        _ values: [SQLValue],
        _ time: Int64,
        _ process: ProcessID,
        _ state: inout State
    ) -> [[SQLValue]] {
        let account = values.first?.bytes ?? []
        switch statement.name {
        case "tessera_take": return Self.take(values, time, process, &state) ? [[.true]] : []
        case "tessera_renew": return Self.holds(statement, values, time, process, &state) ? [[.true]] : []
        case "tessera_release":
            if state.leases[account]?.owner == values[1].bytes { state.leases[account] = nil }
            return []
        case "tessera_load":
            return state.rows[account]
                .map { row in
                    [[SQLValue(row.generation), SQLValue(row.record)] + row.mark]
                } ?? []
        case "tessera_save":
            let isHeld = Self.holds(statement, values, time, process, &state)
            return [[SQLValue(isHeld), SQLValue(isHeld && Self.save(values, &state))]]
        case "tessera_mark":
            let isHeld = Self.holds(statement, values, time, process, &state)
            return [[SQLValue(isHeld), SQLValue(isHeld && Self.mark(values, &state))]]
        case "tessera_remove":
            let isHeld = Self.holds(statement, values, time, process, &state)
            let isRemoved = isHeld && state.rows.removeValue(forKey: account) != nil
            return [[SQLValue(isHeld), SQLValue(isRemoved)]]
        default: return Self.executeUnnamed(statement, values, &state)
        }
    }

    private static func executeUnnamed(
        _ statement: SQLStatement,
        _ values: [SQLValue],
        _ state: inout State
    ) -> [[SQLValue]] {
        if let rows = Self.executeMaintenance(statement, values, &state) { return rows }
        let sql = statement.sql
        if sql.hasPrefix("SELECT account, issuer") {
            return state.rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }
                .map { [SQLValue($0.key)] + $0.value.account }
        }
        if sql.hasPrefix("SELECT key_id") {
            return values.first?.bytes.flatMap { state.rows[$0] }.map { [[SQLValue($0.keyID)]] } ?? []
        }
        // The statements of a probe, whose row is never visible to others.
        if sql.hasPrefix("INSERT") { state.probe = values[1].bytes }
        return sql.hasPrefix("SELECT record") ? [[SQLValue(state.isForgetful ? nil : state.probe)]] : []
    }

    /// Returns when a lease expires.
    ///
    /// One that expired while the server was down is extended.
    private static func end(_ lease: LeaseRow, _ state: State) -> Int64 {
        max(lease.until, state.startedAt + 5_000_000_000)
    }

    private static func take(
        _ values: [SQLValue],
        _ time: Int64,
        _ process: ProcessID,
        _ state: inout State
    ) -> Bool {
        let (account, owner) = (values[0].bytes ?? [], values[1].bytes ?? [])
        if let lease = state.leases[account], lease.owner != owner, Self.end(lease, state) >= time { return false }
        Self.hold(account, owner, process, values, time, &state)
        return true
    }

    /// Sets or renews a lease, and notes whether another process has lost it.
    private static func hold(
        _ account: [UInt8],
        _ owner: [UInt8],
        _ process: ProcessID,
        _ values: [SQLValue],
        _ time: Int64,
        _ state: inout State
    ) {
        let subject = state.subjects[account] ?? ""
        let former = state.leases[account]
        if let former, former.process != process {
            state.losers[account, default: []].insert(former.process)
            let isExpired = Self.end(former, state) < time
            state.changes.append(.leaseTaken(subject: subject, from: former.process, isExpired: isExpired))
        }
        if former?.owner != owner, state.losers[account]?.remove(process) != nil {
            state.changes.append(.leaseRegained(subject: subject))
        }
        let until = time + (values[2].integer ?? 0) * 1_000_000
        state.leases[account] = LeaseRow(owner: owner, process: process, until: until)
    }

    /// Returns whether a statement's process has the lease, which the statement then renews.
    private static func holds(
        _ statement: SQLStatement,
        _ values: [SQLValue],
        _ time: Int64,
        _ process: ProcessID,
        _ state: inout State
    ) -> Bool {
        let (account, owner) = (values[0].bytes ?? [], values[1].bytes ?? [])
        guard let lease = state.leases[account] else { return false }
        guard lease.owner == owner || !state.checksOwner(statement) else { return false }
        Self.hold(account, owner, process, values, time, &state)
        return true
    }

    private static func save(_ values: [SQLValue], _ state: inout State) -> Bool {
        let (account, generation) = (values[0].bytes ?? [], values[6].integer ?? 0)
        if let row = state.rows[account] {
            let keys = (values[9].text ?? "").split(separator: ",")
            let loaded = values[10].integer
            guard keys.contains(where: { $0 == Hexadecimal.text(row.keyID) }),
                loaded == nil || row.generation == loaded || row.generation == generation
            else { return false }
        }
        state.rows[account] = Row(
            account: Array(values[3...5]),
            generation: generation,
            keyID: values[7].bytes ?? [],
            record: values[8].bytes ?? []
        )
        let saved = Account(
            issuer: values[3].text ?? "",
            clientID: values[4].text ?? "",
            subject: values[5].text ?? ""
        )
        state.subjects[account] = saved.name
        return true
    }

    private static func mark(_ values: [SQLValue], _ state: inout State) -> Bool {
        let account = values[0].bytes ?? []
        guard let row = state.rows[account], row.generation == values[5].integer else { return false }
        state.rows[account] = Row(
            account: row.account,
            generation: row.generation,
            keyID: values[3].bytes ?? [],
            record: values[4].bytes ?? []
        )
        return true
    }
}

extension SQLValue {
    fileprivate static let `true` = SQLValue([1])

    fileprivate init(_ value: Bool) { self.init([value ? 1 : 0]) }
}

/// A database as one of the processes sees it.
struct ProcessDatabase: SQLServer {
    private struct UnreachableError: Error {}

    let database: SimulatedDatabase
    let process: SimulatedProcess

    func run(_ statement: SQLStatement, _ values: [SQLValue]) throws -> [[SQLValue]] {
        guard self.process.mayOperate(), !self.process.machine.isCutOff else { throw UnreachableError() }
        let simulation = self.process.simulation
        let (rows, changes) = self.database.run(statement, values, at: simulation.scheduler.time, by: self.process.id)
        for change in changes { simulation.record(change, by: .process(self.process.id)) }
        return try rows.get()
    }
}

extension SimulatedProcess {
    /// Returns a store in a PostgreSQL database, which all processes of the simulation share.
    public func postgreSQLStore() throws -> any SessionStore { try self.recordingDatabaseStore() }

    func recordingDatabaseStore() throws -> RecordingStore {
        RecordingStore(
            try self.database(self.simulation.database, keys: self.simulation.storeKeys),
            process: self,
            name: "database"
        )
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What happens in a ``SessionScenario``, apart from what the scheduler and the network decide.
public struct SessionPlan: Sendable, Hashable {
    /// The kind of store that the programs use.
    public enum StoreKind: String, Sendable, Hashable, CaseIterable {
        /// An encrypted directory on each machine.
        case files
        /// The memory of each process.
        case memory
        /// A PostgreSQL database, which requires the trait `PostgreSQL`.
        case database
    }

    /// A fault, which ends after its duration.
    public enum Fault: Sendable, Hashable {
        /// A program's process is killed before one of its next operations.
        case kill(program: Int, afterOperations: Int)
        /// A machine loses power.
        case powerLoss(machine: Int)
        /// A machine is cut off from the network for a number of seconds.
        case partition(machine: Int, seconds: Int)
        /// The network is unreliable for a number of seconds.
        case network(NetworkFaults, seconds: Int)
        /// The provider responds with errors for a number of seconds.
        case unavailable(percent: Int, seconds: Int)
        /// A machine's wall clock jumps to a difference from the right time.
        case clock(machine: Int, seconds: Int)
        /// A machine's disk is full for a number of seconds.
        case diskFull(machine: Int, seconds: Int)
        /// Changes of a machine's disk fail for a number of seconds.
        case diskErrors(machine: Int, percent: Int, seconds: Int)
        /// Connections to the database fail for a number of seconds.
        case databaseErrors(percent: Int, seconds: Int)
        /// The database server is down for a number of seconds.
        case databaseDown(seconds: Int)
        /// The user revokes access on the provider's account page.
        case revoked(subject: String)
        /// The API rejects the current access tokens.
        case invalidated(subject: String)
        /// The API forgets the uploads that are not complete.
        case uploadsLost
        /// A program's process is stopped for a number of seconds.
        case pause(program: Int, seconds: Int)
        /// The database loses all leases in a failover.
        case leasesLost
        /// The provider declines refreshes as temporarily unavailable for a number of seconds.
        case declined(percent: Int, seconds: Int)
        /// A machine's keyring is locked for a number of seconds.
        case keyringLocked(machine: Int, seconds: Int)
        /// Calls of a machine's keyring fail for a number of seconds.
        case keyringErrors(machine: Int, percent: Int, seconds: Int)
        /// All items of a machine's keyring are removed.
        case keyringReset(machine: Int)
        /// The provider replaces the key that signs ID tokens.
        case keysRotated
        /// An app is in the background for a number of seconds.
        case background(program: Int, seconds: Int)
        /// Jobs wait for a thread for a number of seconds.
        case threadsBusy(percent: Int, seconds: Int)
        /// The responses of the third issuer differ from the usual ones for a number of seconds.
        case deviation(SimulatedProvider.Deviation, seconds: Int)
        /// The record of an account is damaged on a machine or in the database.
        case recordDamaged(machine: Int, subject: String, StorageDamage)
        /// A record in the archives of a machine or in the database is damaged.
        case archiveDamaged(machine: Int, subject: String, StorageDamage)
        /// The archives of a machine or in the database fail for a number of seconds.
        case archiveFails(machine: Int, StorageCondition, seconds: Int)
        /// The row of an archive is replaced by the one that an earlier version of the library would have written.
        case archiveIsOld(subject: String, isMarked: Bool)
    }

    /// What happens in a step.
    public enum Action: Sendable, Hashable {
        /// A program begins an operation.
        case operation(program: Int, SessionOperation)
        /// A fault begins.
        case fault(Fault)
    }

    /// An action at a time.
    public struct Step: Sendable, Hashable {
        /// The number of the step, which remains the same when other steps are removed.
        public let number: Int
        /// The time in nanoseconds.
        public let time: Int64
        /// The action.
        public let action: Action
    }

    /// The settings of the provider.
    public var settings: SimulatedProvider.Settings
    /// The kind of store.
    public var store: StoreKind
    /// The number of machines.
    public var machines: Int
    /// The number of each program's machine, counted from 0.
    public var programs: [Int]
    /// The programs that use their machine's keyring instead of ``store``.
    public var keyrings: Set<Int> = []
    /// The programs that are apps, which the system suspends in the background.
    public var apps: Set<Int> = []
    /// The subjects of the accounts, which are the names of those without ID tokens.
    public var subjects: [String]
    /// The steps, ordered by time.
    public var steps: [Step]

    /// The number of operations.
    public var operations: Int { self.steps.count { if case .operation = $0.action { true } else { false } } }
    /// The number of faults.
    public var faults: Int { self.steps.count - self.operations }
}

extension SessionPlan {
    private static let second: Int64 = 1_000_000_000

    /// The number of operations that a plan has at least.
    private static let minimum = 50

    /// Creates the plan of a seed.
    ///
    /// Each plan has at least three programs, two accounts, 50 operations and five faults.
    public init(seed: UInt64) {
        let moments: [[Int]]
        (self, moments) = Self.complete(seed: seed)
        // Most of the other steps are there for a reason, so these are omitted first.
        var random = SeededGenerator(seed: seed, stream: Simulation.Stream.omissions.rawValue)
        var omitted: Set<Int> = []
        var rest = self.operations
        for moment in moments.shuffled(using: &random) where rest - moment.count >= Self.minimum {
            omitted.formUnion(moment)
            rest -= moment.count
        }
        self.steps.removeAll { omitted.contains($0.number) }
    }

    /// Creates the plan that has some of a seed's steps, which may include those that the seed's plan omits.
    init(seed: UInt64, steps numbers: Set<Int>) {
        (self, _) = Self.complete(seed: seed)
        self.steps.removeAll { !numbers.contains($0.number) }
    }

    /// Returns the plan with all steps of a seed, and the numbers of the operations at each of several moments.
    private static func complete(seed: UInt64) -> (plan: SessionPlan, moments: [[Int]]) {
        var random = SeededGenerator(seed: seed, stream: Simulation.Stream.plan.rawValue)
        var settings = SimulatedProvider.Settings()
        settings.refreshTokens = Self.pick(from: SimulatedProvider.RefreshTokens.allCases, &random)
        settings.lifetime = Self.pick(from: [30, 120, 600, 3_600], &random)
        let machines = 1 + random.below(2)
        let programs = (0..<3 + random.below(3)).map { _ in random.below(machines) }
        var plan = SessionPlan(
            settings: settings,
            store: Self.pick(from: Self.stores, &random),
            machines: machines,
            programs: programs,
            subjects: ["ada", "grace"],
            steps: []
        )
        var actions: [(time: Int64, action: Action, moment: Int?)] = []
        for program in programs.indices {
            for subject in plan.subjects {
                // Programs with the same store share the session of the first one.
                if plan.isFirst(program) {
                    let signIn = Action.operation(program: program, SessionOperation(.signIn, of: subject))
                    actions.append((random.time(0...Self.second), signIn, nil))
                }
            }
        }
        let moments = (0..<20).map { _ in random.time(5 * Self.second...7_200 * Self.second) }
        for _ in 0..<50 + random.below(20) {
            let moment = random.below(moments.count)
            let time = moments[moment] + random.time(0...Self.second / 2)
            actions.append((time, plan.operation(&random), moment))
        }
        for _ in 0..<5 + random.below(6) {
            let time = Self.pick(from: moments, &random) - random.time(0...Self.second)
            actions.append((time, .fault(plan.fault(&random)), nil))
        }
        actions.sort { $0.time < $1.time }
        plan.steps = actions.enumerated()
            .map { number, item in Step(number: number, time: item.time, action: item.action) }
        let numbers = moments.indices.map { moment in actions.indices.filter { actions[$0].moment == moment } }
        plan.add(plan.calls(seed: seed))
        plan.addLeaseSteps(seed: seed)
        plan.add(plan.races(seed: seed))
        plan.add(plan.openIDSteps(seed: seed))
        plan.addDelays(seed: seed)
        plan.addSessionSteps(seed: seed)
        plan.add(plan.fetches(seed: seed))
        plan.add(plan.storeSteps(seed: seed))
        plan.addLateRefusal(seed: seed)
        return (plan, numbers)
    }

    /// The kinds of stores, which are chosen with equal probability.
    private static var stores: [StoreKind] {
        #if PostgreSQL
        [.files, .files, .files, .files, .database, .database, .database, .database, .memory]
        #else
        [.files, .files, .files, .files, .memory]
        #endif
    }

    private static func pick<Value>(from values: [Value], _ random: inout SeededGenerator) -> Value {
        values[random.below(values.count)]
    }

    /// Whether a program is the first one with its store, so that it signs in for the others.
    func isFirst(_ program: Int) -> Bool {
        // All programs with keyrings are on one machine.
        if self.keyrings.contains(program) { return program == self.keyrings.min() }
        return switch self.store {
        case .memory: true
        case .database: program == 0
        case .files: self.programs.firstIndex(of: self.programs[program]) == program
        }
    }

    private func operation(_ random: inout SeededGenerator) -> Action {
        let weights: [(SessionOperation.Kind, Int)] = [
            (.token, 35), (.tokens, 8), (.canceledToken, 8), (.refresh, 12), (.call, 15), (.redirectedCall, 3),
            (.signOut, 3), (.disconnect, 2), (.signIn, 8), (.exit, 6),
        ]
        var rest = random.below(weights.reduce(0) { $0 + $1.1 })
        let kind = weights.first { (_, weight) in
            rest -= weight
            return rest < 0
        }
        let subject = Self.pick(from: self.subjects, &random)
        return .operation(
            program: random.below(self.programs.count),
            SessionOperation(kind?.0 ?? .token, of: subject)
        )
    }

    private func fault(_ random: inout SeededGenerator) -> Fault {
        let machine = random.below(self.machines)
        // Leases expire in other steps, so databases are not unreachable for long in these.
        let seconds = 1 + random.below(self.store == .database ? 15 : 120)
        let kind = random.below(14)
        if self.store == .database, (10...12).contains(kind) {
            if random.chance(30) { return .databaseDown(seconds: seconds) }
            return .databaseErrors(percent: 1 + random.below(30), seconds: seconds)
        }
        switch kind {
        case 0, 1, 2: return .kill(program: random.below(self.programs.count), afterOperations: random.below(40))
        case 3: return .powerLoss(machine: machine)
        case 4: return .partition(machine: machine, seconds: seconds)
        case 5, 6, 7:
            var faults = NetworkFaults()
            faults.unreachable = random.below(30)
            faults.lostRequest = random.below(40)
            faults.lostResponse = random.below(40)
            faults.halfResponse = random.below(20)
            faults.slowResponse = random.below(40)
            return .network(faults, seconds: seconds)
        case 8: return .unavailable(percent: 20 + random.below(80), seconds: seconds)
        case 9: return .clock(machine: machine, seconds: random.below(7_200) - 3_600)
        case 10: return .diskFull(machine: machine, seconds: seconds)
        case 11, 12: return .diskErrors(machine: machine, percent: 1 + random.below(40), seconds: seconds)
        default:
            let subject = Self.pick(from: self.subjects, &random)
            return random.chance(30) ? .revoked(subject: subject) : .invalidated(subject: subject)
        }
    }
}

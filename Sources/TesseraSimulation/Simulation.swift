// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport

/// A simulation of processes on several machines, their network, their disks and an OAuth provider.
///
/// Everything runs on one thread, in simulated time, in an order that a seed chooses. The same seed gives the same
/// events. Run your code on the runtimes, stores and clocks of simulated processes:
///
/// ```swift
/// try Simulation.run(seed: 1) { simulation in
///     let process = simulation.makeMachine().start()
///     let signIn = SignIn(try simulation.provider.provider, runtime: process.runtime, store: process.encryptedFileStore())
///     var options = SignInOptions()
///     options.identity = .caller { _ in "ada" }
///     let session = try await signIn.adopt(simulation.provider.makeConsent(of: "ada"), options: options)
///     process.kill(afterOperations: 5)
///     _ = try? await session.refresh()
/// }
/// ```
///
/// Code in a simulation must not use other clocks, other sources of randomness, threads, or tasks that it starts with
/// `Task.init` or `Task.detached`. Child tasks of task groups, and tasks started with ``start(_:)``, belong to the
/// simulation. ``run(seed:limit:_:)`` throws ``SimulationError/escaped`` if anything was resumed from outside.
public final class Simulation: Sendable {
    /// The independent sequences of random numbers.
    ///
    /// Numbered sequences are 16 apart, so `stores` equals the first numbered one of `schedule`, which is not used.
    enum Stream: UInt64 {
        case schedule, network, provider, process, disk, plan, database, calls, leases, races, openID, threads, delays
        case omissions, session, fetch, stores, lateRefusal
    }

    private struct State {
        var machines: [SimulatedMachine] = []
        var lastProcess = 0
        var events: [SimulationEvent] = []
        var checker = InvariantChecker()
        var observer: (@Sendable (SimulationEvent) -> Void)?
    }

    /// The seed.
    public let seed: UInt64
    let scheduler: Scheduler
    let network: SimulatedNetwork
    /// The keys of all processes, to which the next key has been given.
    let storeKeys: StoreKeys
    /// The keys of a process that changes the key.
    let nextStoreKeys: StoreKeys
    /// Keys that decrypt nothing.
    let otherStoreKeys: StoreKeys
    #if PostgreSQL
    let database: SimulatedDatabase
    /// The database of archives.
    let archive: SimulatedDatabase
    #endif
    private let holder = Mutex<SimulatedProvider?>(nil)
    private let state = Mutex(State())

    private init(seed: UInt64) throws {
        self.seed = seed
        self.scheduler = Scheduler(
            random: SeededGenerator(seed: seed, stream: Stream.schedule.rawValue),
            threads: SeededGenerator(seed: seed, stream: Stream.threads.rawValue)
        )
        self.network = SimulatedNetwork(
            random: SeededGenerator(seed: seed, stream: Stream.network.rawValue),
            additional: SeededGenerator(seed: seed, stream: Stream.calls.rawValue + 2 * 16)
        )
        let keys = try [7, 8, 9].map { try StoreKey([UInt8](repeating: $0, count: StoreKey.length)) }
        self.storeKeys = StoreKeys(keys[0], former: [keys[1]])
        self.nextStoreKeys = StoreKeys(keys[1], former: [keys[0]])
        self.otherStoreKeys = StoreKeys(keys[2])
        #if PostgreSQL
        self.database = SimulatedDatabase(
            random: SeededGenerator(seed: seed, stream: Stream.database.rawValue)
        )
        self.archive = SimulatedDatabase(
            random: SeededGenerator(seed: seed, stream: Stream.stores.rawValue + 200 * 16)
        )
        #endif
        self.holder.withLock { $0 = SimulatedProvider(in: self) }
    }

    /// Simulates `body`, and whatever it starts, until `body` returns and nothing is left to run.
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - limit: The maximum number of jobs and timers.
    ///   - body: The program, which runs in simulated time.
    /// - Returns: Everything that happened, in order.
    /// - Throws: ``InvariantViolation`` if a promise of the library was broken, ``SimulationError``, or any error that
    ///   `body` throws.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @discardableResult
    public static func run(
        seed: UInt64,
        limit: Int = 2_000_000,
        _ body: @escaping @Sendable (Simulation) async throws -> Void
    ) throws -> [SimulationEvent] {
        let simulation = try Simulation(seed: seed)
        // The machines refer to the simulation, and to processes that refer to them.
        defer {
            let machines = simulation.state.withLock { state in
                defer { state.machines = [] }
                return state.machines
            }
            for machine in machines { machine.releaseProcesses() }
        }
        let result = Mutex<Result<Void, any Error>?>(nil)
        let executor = SimulationExecutor(scheduler: simulation.scheduler)
        TaskExecutorInheritance.start(on: executor) {
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(simulation)) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
        }
        let isOver = simulation.scheduler.run(
            limit: limit,
            { $0.runSynchronously(on: executor.asUnownedTaskExecutor()) },
            until: { simulation.violation != nil }
        )
        if let violation = simulation.violation { throw violation }
        if simulation.scheduler.hasEscaped { throw SimulationError.escaped }
        guard isOver else { throw SimulationError.endless }
        guard let outcome = result.withLock({ $0 }) else { throw SimulationError.stuck }
        try outcome.get()
        return simulation.events
    }

    /// The authorization server and its API.
    public var provider: SimulatedProvider {
        guard let provider = self.holder.withLock({ $0 }) else { preconditionFailure("The provider is set in init.") }
        return provider
    }

    /// Everything that has happened so far, in order.
    public var events: [SimulationEvent] { self.state.withLock { $0.events } }

    /// Calls a closure with each event from now on.
    public func observe(_ observer: @escaping @Sendable (SimulationEvent) -> Void) {
        self.state.withLock { $0.observer = observer }
    }

    /// The first violation of an invariant.
    public var violation: InvariantViolation? { self.state.withLock { $0.checker.violation } }

    /// The faults of the network, which is reliable by default.
    public var networkFaults: NetworkFaults {
        get { self.network.faults }
        set {
            self.network.faults = newValue
            self.record(.networkChanged(newValue), by: .network)
        }
    }

    /// Makes code wait up to 300 milliseconds for a thread each time that it resumes.
    ///
    /// - Parameter percent: The probability that it waits, in percent. 0 lets all code run at once.
    public func setThreadsBusy(percent: Int) {
        guard self.scheduler.setWaiting(percent) else { return }
        self.record(percent > 0 ? .threadsBusy : .threadsFree, by: .scenario)
    }

    #if PostgreSQL
    /// Makes connections to the database fail.
    ///
    /// - Parameter percent: The probability that a connection is lost before a statement is executed, and also that it
    ///   is lost afterward. 0 makes the connections reliable again.
    public func setDatabaseErrors(percent: Int) {
        self.database.setLoss(percent)
        self.record(percent > 0 ? .databaseFails : .databaseWorks, by: .network)
    }

    /// Stops the database server, or starts it again.
    public func setDatabaseRunning(_ isRunning: Bool) {
        self.database.setRunning(isRunning, at: self.scheduler.time)
        self.record(isRunning ? .databaseStarted : .databaseStopped, by: .scenario)
    }

    /// Loses all leases, as in a failover to a standby that had not received them.
    public func loseLeases() { for change in self.database.loseLeases() { self.record(change, by: .scenario) } }
    #endif

    /// A clock for code outside of all processes.
    public var clock: SimulatedClock { SimulatedClock(scheduler: self.scheduler, process: nil) }

    /// Adds a machine.
    public func makeMachine() -> SimulatedMachine {
        let id = self.state.withLock { $0.machines.count + 1 }
        let machine = SimulatedMachine(id, in: self)
        self.state.withLock { $0.machines.append(machine) }
        return machine
    }

    /// Starts a task in the simulation.
    @discardableResult
    public func start<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        TaskExecutorInheritance.start(operation)
    }

    /// The right time, a number of nanoseconds later.
    func date(offsetBy skew: Int64) -> Date {
        Date(timeIntervalSince1970: 1_800_000_000 + Double(self.scheduler.time + skew) / 1e9)
    }

    func nextProcess() -> ProcessID {
        self.state.withLock { state in
            state.lastProcess += 1
            return state.lastProcess
        }
    }

    func generator(_ stream: Stream, _ number: UInt64 = 0) -> SeededGenerator {
        SeededGenerator(seed: self.seed, stream: stream.rawValue + number &* 16)
    }

    /// Records an event and checks the invariants.
    func record(_ action: SimulationEvent.Action, by actor: SimulationEvent.Actor) {
        // A killed process has no effects, but its tasks still end.
        if case .process(let id) = actor, action != .killed, self.scheduler.isKilled(id) { return }
        let event = SimulationEvent(time: self.scheduler.time, actor: actor, action: action)
        let observer = self.state.withLock { state in
            state.events.append(event)
            state.checker.observe(event)
            return state.observer
        }
        observer?(event)
    }

    /// Records a violation that is not visible in an event.
    func report(_ invariant: Invariant, _ detail: String) {
        self.state.withLock { $0.checker.report(invariant, detail) }
    }
}

/// The executor of all tasks in a simulation.
@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
private final class SimulationExecutor: TaskExecutor {
    let scheduler: Scheduler

    init(scheduler: Scheduler) { self.scheduler = scheduler }

    func enqueue(_ job: consuming ExecutorJob) { self.scheduler.enqueue(UnownedJob(job)) }
}

/// An error of a simulation itself.
public enum SimulationError: Error, Sendable, Hashable {
    /// Something in the simulation was resumed by another thread, so the seed does not determine what happens.
    case escaped
    /// The simulation ran more jobs than its limit.
    case endless
    /// The simulated program is waiting for something that never happens.
    case stuck
    /// The simulation needs a package trait that is not enabled.
    case unavailable
}

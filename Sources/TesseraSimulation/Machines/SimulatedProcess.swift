// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
public import Tessera
public import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport

/// The number of a process, which no other process of the simulation has.
public typealias ProcessID = Int

/// A process in a simulation, with its own runtime and its own connection to the network.
///
/// Create the objects of one program with one process. When the process is killed, its network, its stores and its
/// clock stop: none of its operations has an effect from then on, and all of them throw an error.
public final class SimulatedProcess: Sendable {
    private struct State {
        /// The number of operations until the process is killed, or nil if that has not been planned.
        var countdown: Int?
        var random: SeededGenerator
        /// The time at which the last blocking operation ends.
        var busyUntil: Int64 = 0
    }

    /// The number of the process.
    public let id: ProcessID
    /// The machine that the process runs on.
    public let machine: SimulatedMachine
    let simulation: Simulation
    /// The process's activities and background state, or nil if it is not an app.
    let app: SimulatedApp?
    private let state: Mutex<State>

    init(_ id: ProcessID, on machine: SimulatedMachine, isApp: Bool) {
        self.id = id
        self.machine = machine
        self.simulation = machine.simulation
        self.app = isApp ? SimulatedApp(random: machine.simulation.generator(.delays, UInt64(id))) : nil
        self.state = Mutex(State(random: self.simulation.generator(.process, UInt64(id))))
    }

    /// Whether the process has not been killed.
    public var isRunning: Bool { !self.simulation.scheduler.isKilled(self.id) }

    /// The process's clock.
    public var clock: SimulatedClock { SimulatedClock(scheduler: self.simulation.scheduler, process: self.id) }

    /// The runtime for the library's objects in this process.
    public var runtime: OAuthRuntime {
        var runtime = OAuthRuntime(
            transport: SimulatedTransport(process: self),
            now: { [machine] in machine.now },
            uptime: { [simulation] in simulation.scheduler.time },
            clock: self.clock,
            randomBytes: { self.randomBytes($0) }
        )
        runtime.observer = UnobservedExchanges()
        runtime.suspension = self.app?.suspension(of: self)
        return runtime
    }

    /// Returns a store in an encrypted directory, which all processes of the machine share.
    public func encryptedFileStore() -> any SessionStore { self.recordingFileStore() }

    func recordingFileStore() -> RecordingStore {
        RecordingStore(
            EncryptedFileStore(
                directory: "/home/user/sessions",
                on: ProcessVolume(volume: self.machine.volume, process: self),
                keys: self.simulation.storeKeys,
                clock: self.clock,
                executor: BlockingExecutor { self.block($0) }
            ),
            process: self,
            name: "\(self.machine.id)"
        )
    }

    /// Returns a store in the process's memory, which is lost when the process ends.
    public func inMemoryStore() -> any SessionStore { self.recordingMemoryStore() }

    func recordingMemoryStore() -> RecordingStore {
        RecordingStore(InMemoryStore(), process: self, name: "memory of process \(self.id)")
    }

    /// Kills the process.
    public func kill() {
        guard self.isRunning else { return }
        self.simulation.scheduler.kill(self.id)
        self.simulation.record(.killed, by: .process(self.id))
    }

    /// Kills the process before one of its next operations on the network or on a disk.
    ///
    /// - Parameter count: The number of operations that still take place.
    public func kill(afterOperations count: Int) { self.state.withLock { $0.countdown = count } }

    /// Stops the process for a number of seconds, as a signal would.
    ///
    /// Its timers fire late, and responses that arrive are not processed until it continues. The monotonic clock does
    /// not stop.
    public func pause(seconds: Int) {
        guard self.isRunning else { return }
        let scheduler = self.simulation.scheduler
        scheduler.pause(self.id, until: scheduler.time + Int64(seconds) * 1_000_000_000)
        self.simulation.record(.paused(seconds: seconds), by: .process(self.id))
    }

    /// Waits until the process is not paused, or has been killed.
    func waitUntilResumed() async {
        let scheduler = self.simulation.scheduler
        while self.isRunning, scheduler.isPaused(self.id) {
            try? await scheduler.sleep(until: scheduler.time, for: self.id)
        }
    }

    /// Returns whether the process may perform an operation, or kills it if this was planned.
    func mayOperate() -> Bool {
        let isDue = self.state.withLock { state in
            guard let countdown = state.countdown else { return false }
            state.countdown = countdown > 0 ? countdown - 1 : nil
            return countdown == 0
        }
        if isDue { self.kill() }
        return self.isRunning
    }

    private func randomBytes(_ count: Int) -> [UInt8] {
        self.state.withLock { state in (0..<count).map { _ in UInt8(truncatingIfNeeded: state.random.next()) } }
    }

    /// Runs blocking work after the work that is already waiting, and after a delay.
    func block(_ work: @escaping @Sendable () -> Void) {
        let scheduler = self.simulation.scheduler
        let now = scheduler.time
        let end = self.state.withLock { state in
            state.busyUntil = max(state.busyUntil, now) + state.random.time(1_000...2_000_000)
            return state.busyUntil
        }
        scheduler.schedule(at: end, for: self.id) { _ in work() }
    }
}

/// An observer that only runs each exchange, because the events of the simulation describe it.
private struct UnobservedExchanges: ExchangeObserver {
    func observe<Value: Sendable>(_ exchange: OAuthExchange, _ work: ExchangeWork<Value>) async throws -> Value {
        try await work()
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraOAuth
internal import TesseraSupport

/// A machine in a simulation, with a wall clock, a disk and any number of processes.
public final class SimulatedMachine: Sendable {
    private struct State {
        /// The difference between the machine's wall clock and the right time, in nanoseconds.
        var skew: Int64 = 0
        var processes: [SimulatedProcess] = []
        var isCutOff = false
    }

    /// The number of the machine.
    public let id: Int
    let simulation: Simulation
    let volume: SimulatedVolume
    let keyring: SimulatedKeyring
    /// The disk and the keyring of archives.
    let archive: (volume: SimulatedVolume, keyring: SimulatedKeyring)
    private let state = Mutex(State())

    init(_ id: Int, in simulation: Simulation) {
        self.id = id
        self.simulation = simulation
        self.volume = SimulatedVolume(random: simulation.generator(.disk, UInt64(id)))
        self.keyring = SimulatedKeyring(random: simulation.generator(.leases, UInt64(id)))
        self.archive = (
            SimulatedVolume(random: simulation.generator(.stores, UInt64(id) * 2)),
            SimulatedKeyring(random: simulation.generator(.stores, UInt64(id) * 2 + 1))
        )
    }

    /// The time of the machine's wall clock.
    public var now: Date { self.simulation.date(offsetBy: self.state.withLock { $0.skew }) }

    /// Starts a process.
    ///
    /// - Parameter isApp: Whether the process is an app, which the system suspends in the background.
    /// - Returns: The process.
    public func start(isApp: Bool = false) -> SimulatedProcess {
        let process = SimulatedProcess(self.simulation.nextProcess(), on: self, isApp: isApp)
        self.state.withLock { $0.processes.append(process) }
        self.simulation.record(.started(machine: self.id), by: .process(process.id))
        return process
    }

    /// Releases the machine's processes after the end of the simulation.
    func releaseProcesses() { self.state.withLock { $0.processes = [] } }

    /// Sets the wall clock, without any effect on monotonic clocks.
    ///
    /// - Parameter skew: The difference to the right time.
    public func setClock(skew: Duration) {
        self.state.withLock { $0.skew = skew.nanoseconds }
        self.simulation.record(.clockSet(skew: skew.nanoseconds), by: .machine(self.id))
    }

    /// Disconnects the machine from the network, or connects it again.
    public func setCutOff(_ isCutOff: Bool) {
        self.state.withLock { $0.isCutOff = isCutOff }
        self.simulation.record(isCutOff ? .cutOff : .connected, by: .machine(self.id))
    }

    /// Makes every write to the disk fail because the disk is full, or lets them succeed again.
    public func setDiskFull(_ isFull: Bool) {
        self.volume.setFull(isFull)
        self.simulation.record(isFull ? .diskFilled : .diskCleared, by: .machine(self.id))
    }

    /// Makes changes of the disk fail with an input/output error.
    ///
    /// - Parameter percent: The probability of an error, in percent. 0 makes the disk reliable again.
    public func setDiskErrors(percent: Int) {
        self.volume.setFailing(percent)
        self.simulation.record(percent > 0 ? .diskFails : .diskWorks, by: .machine(self.id))
    }

    /// Kills all processes and reverts the disk to a state that POSIX allows after a power failure.
    ///
    /// Any part of what was not synchronized can be lost.
    public func losePower() {
        self.simulation.record(.lostPower, by: .machine(self.id))
        let processes = self.state.withLock { state in
            defer { state.processes = [] }
            return state.processes
        }
        for process in processes { process.kill() }
        self.volume.losePower()
        self.archive.volume.losePower()
    }

    var isCutOff: Bool { self.state.withLock { $0.isCutOff } }
}

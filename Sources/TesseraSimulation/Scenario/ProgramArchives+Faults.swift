// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

extension ProgramArchives {
    /// Damages records, or makes archives fail for a number of seconds.
    func begin(_ fault: SessionPlan.Fault, on machines: [SimulatedMachine]) {
        switch fault {
        case .recordDamaged(let machine, let subject, let damage):
            self.damageSession(subject, damage, machines[machine])
        case .archiveDamaged(let machine, let subject, let damage):
            self.damageArchive(subject, damage, machines[machine])
        case .archiveFails(let machine, let condition, let seconds):
            self.set(condition, on: machines[machine])
            self.simulation.record(.archiveChanged("has an archive that fails (\(condition.rawValue))"), by: .scenario)
            self.simulation.start {
                try await self.simulation.clock.sleep(for: .seconds(seconds))
                self.set(nil, on: machines[machine])
                self.simulation.record(.archiveChanged("has a working archive again"), by: .scenario)
            }
        case .archiveIsOld(let subject, let isMarked):
            #if PostgreSQL
            let (account, keys) = (Account(named: subject), self.simulation.storeKeys)
            if self.simulation.archive.replaceByEarlierVersion(AccountKey(account), keys: keys, isMarked: isMarked) {
                let text = "replaces the row of the \(subject) by that of an earlier version"
                self.simulation.record(.archiveChanged(text), by: .scenario)
            }
            #endif
        default: break
        }
    }

    func endFaults(on machines: [SimulatedMachine]) { for machine in machines { self.set(nil, on: machine) } }

    private func set(_ condition: StorageCondition?, on machine: SimulatedMachine) {
        let percent = condition == .failing ? 30 : 0
        machine.archive.volume.condition = condition?.disk ?? .sound
        machine.archive.volume.setFailing(percent)
        machine.archive.keyring.setFailing(percent)
        machine.archive.keyring.setStatus(condition?.status)
        machine.archive.keyring.setForgetful(condition == .forgetful)
        machine.archive.keyring.setOvertaken(condition == .overtaken)
        #if PostgreSQL
        self.simulation.archive.setForgetful(condition == .forgetful)
        self.simulation.archive.setLoss(percent)
        #endif
    }

    private func damageArchive(_ subject: String, _ damage: StorageDamage, _ machine: SimulatedMachine) {
        // The record that may take its place.
        let other = Self.subjects.first { $0 != subject } ?? subject
        var places = StoragePlaces(machine.archive.volume, machine.archive.keyring)
        places.directory = (ProcessArchive.directory, "archive of machine \(machine.id)")
        places.service = (ProcessArchive.service, "archive in keyring of machine \(machine.id)")
        #if PostgreSQL
        places.database = (self.simulation.archive, "archive")
        #endif
        let account = Account(named: subject)
        for name in places.damage(account, Account(named: other), damage, at: self.position()) {
            self.state.withLock { state in
                state.checker[name, account].damaged = state.checker[name, account].newest
            }
            let text = "damages the record of the \(subject) in the \(name) (\(damage.rawValue))"
            self.simulation.record(.archiveChanged(text), by: .scenario)
        }
    }

    /// Damages the record of a session.
    private func damageSession(_ subject: String, _ damage: StorageDamage, _ machine: SimulatedMachine) {
        let other = subject == "ada" ? "grace" : "ada"
        var places = StoragePlaces(machine.volume, machine.keyring)
        places.directory = ("/home/user/sessions", "\(machine.id)")
        places.service = ("sessions", machine.keyringName)
        #if PostgreSQL
        places.database = (self.simulation.database, "database")
        #endif
        for name in places.damage(Account(named: subject), Account(named: other), damage, at: self.position()) {
            self.simulation.record(.damaged(subject: subject, store: name), by: .scenario)
        }
    }

    private func position() -> Int { self.state.withLock { $0.random.below(1 << 16) } }

    /// The names of the accounts in archives.
    static let subjects = ["archive of ada", "archive of grace"]
}

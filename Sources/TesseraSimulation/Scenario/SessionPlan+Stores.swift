// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Steps in which programs use stores instead of sessions, and in which archives are damaged.
///
/// They have their own random numbers, so that the other steps of a seed do not depend on them.
extension SessionPlan {
    private static let second: Int64 = 1_000_000_000

    /// Returns the steps of a seed, or none in half of the plans.
    func storeSteps(seed: UInt64) -> [TimedAction] {
        var random = SeededGenerator(seed: seed, stream: Simulation.Stream.stores.rawValue)
        var actions: [TimedAction] = []
        if random.chance(25) { actions += self.maintenance(&random) }
        if random.chance(self.keyrings.isEmpty ? 25 : 60) { actions += self.archive(&random) }
        if self.store == .database, random.chance(10) { actions += self.heldArchive(&random) }
        if self.store != .memory, random.chance(6) { actions += self.damagedRecord(&random) }
        return actions
    }

    /// The record of a session is damaged while programs use the session, until the user signs in again.
    private func damagedRecord(_ random: inout SeededGenerator) -> [TimedAction] {
        let time = self.fault(&random) { _ in true }.time + random.time(0...Self.second)
        let program = random.below(self.programs.count)
        let subject = self.subjects[random.below(self.subjects.count)]
        let kinds = StorageDamage.allCases.filter { $0 != .newerFormat }
        let damage = kinds[random.below(kinds.count)]
        var actions: [TimedAction] = [
            (time, .fault(.recordDamaged(machine: self.programs[program], subject: subject, damage)))
        ]
        let uses: [SessionOperation.Kind] = [.token, .refresh, .call, .signOut, .disconnect, .signIn]
        for offset in [Int64(-1), 1, 20, 40] {
            let kind = offset == 40 ? .signIn : uses[random.below(uses.count - (offset > 0 ? 0 : 3))]
            let use = time + offset * Self.second / 10
            actions.append((max(0, use), .operation(program: program, SessionOperation(kind, of: subject))))
        }
        actions.append((time + 60 * Self.second, .operation(program: program, SessionOperation(.refresh, of: subject))))
        return actions
    }

    /// A program lists, checks, reads or encrypts the store of sessions, most often while it fails.
    private func maintenance(_ random: inout SeededGenerator) -> [TimedAction] {
        // An app that is suspended must not hold a lock.
        let programs = self.programs.indices.filter { !self.apps.contains($0) }
        return (0..<1 + random.below(4))
            .map { _ in
                let kinds: [SessionOperation.Kind] = [.accounts, .accounts, .probe, .keyChange, .keyChange, .otherKey]
                let kind = kinds[random.below(kinds.count)]
                let time = self.fault(&random) { _ in true }.time + random.time(0...10 * Self.second)
                let program = programs[random.below(programs.count)]
                return (time, .operation(program: program, SessionOperation(kind, of: "store")))
            }
    }

    /// Programs use an archive, which is damaged or fails between two uses.
    private func archive(_ random: inout SeededGenerator) -> [TimedAction] {
        let start = random.time(10 * Self.second...4_500 * Self.second)
        let program = self.archiveProgram(&random)
        let machine = self.programs[program]
        let subject = self.archiveSubject(&random)
        let subjects = ([subject] + ProgramArchives.subjects.filter { $0 != subject }).prefix(random.below(20) / 6)
        var actions: [TimedAction] =
            subjects
            .map { (start, .operation(program: program, SessionOperation(.archive, of: $0))) }
        var time = start
        for _ in 0..<1 + random.below(3) {
            time += random.time(Self.second...30 * Self.second)
            switch random.below(10) {
            case 0...4: actions.append((time, .fault(self.damage(machine, subject, &random))))
            case 5...7:
                let condition = StorageCondition.allCases[random.below(StorageCondition.allCases.count)]
                let seconds = 1 + random.below(10)
                actions.append((time, .fault(.archiveFails(machine: machine, condition, seconds: seconds))))
                if let kind = self.operation(during: condition) {
                    time += Self.second / 10
                    actions.append((time, .operation(program: program, SessionOperation(kind, of: subject))))
                }
            case 8:
                let kill = Fault.kill(program: program, afterOperations: random.below(30))
                actions.append((time, .fault(random.chance(50) ? kill : .powerLoss(machine: machine))))
            default: break
            }
            for _ in 0..<1 + random.below(3) {
                time += random.time(0...2 * Self.second)
                actions.append((time, self.archiveOperation(program, subject, &random)))
            }
        }
        return actions
    }

    /// Returns an operation for which a condition matters.
    private func operation(during condition: StorageCondition) -> SessionOperation.Kind? {
        switch condition {
        case .forgetful: .archiveProbe
        case .failing: self.store == .database ? .value : .archiveRemoval
        case .overtaken: .archive
        case .foreign, .shared, .readOnly, .replaced, .unsigned: nil
        }
    }

    private func damage(_ machine: Int, _ subject: String, _ random: inout SeededGenerator) -> Fault {
        if self.store == .database, random.chance(20) {
            return .archiveIsOld(subject: subject, isMarked: random.chance(50))
        }
        let damage = StorageDamage.allCases[random.below(StorageDamage.allCases.count)]
        return .archiveDamaged(machine: machine, subject: subject, damage)
    }

    private func archiveOperation(_ program: Int, _ subject: String, _ random: inout SeededGenerator) -> Action {
        var kinds: [SessionOperation.Kind] = [
            .archive, .archive, .archive, .archiveHold, .archived, .archived, .archived, .archives, .archives,
            .archiveRemoval, .archiveMisuse, .archiveOtherKey, .archiveProbe, .archiveKeyChange, .value,
        ]
        // Most other operations of an archive in memory cannot fail.
        if self.store == .memory { kinds += [.value, .value, .value, .value] }
        if self.store == .database { kinds += [.value, .archiveKeyChange] }
        let kind = kinds[random.below(kinds.count)]
        let other = random.chance(80) ? program : self.archiveProgram(&random)
        let name = random.chance(80) ? subject : self.archiveSubject(&random)
        return .operation(program: other, SessionOperation(kind, of: name))
    }

    /// A process loses its lease on a record of the archive, and another one has a lease for longer than it waits.
    ///
    /// In other plans, the row changes meanwhile.
    private func heldArchive(_ random: inout SeededGenerator) -> [TimedAction] {
        let start = random.time(10 * Self.second...4_000 * Self.second)
        let owner = random.below(self.programs.count)
        let other = (owner + 1 + random.below(self.programs.count - 1)) % self.programs.count
        let hold = SessionOperation(.archiveHold, of: self.archiveSubject(&random))
        let first: [TimedAction] = [
            (start, .operation(program: owner, SessionOperation(.archive, of: hold.subject))),
            (start + Self.second, .operation(program: owner, hold)),
        ]
        if random.chance(40) {
            let damage = Fault.archiveDamaged(machine: 0, subject: hold.subject, .alteredColumns)
            return first + [(start + 3 * Self.second / 2, .fault(damage))]
        }
        return first + [
            (start + 2 * Self.second, .fault(.pause(program: owner, seconds: 40 + random.below(40)))),
            (start + 3 * Self.second, .operation(program: other, hold)),
        ]
    }

    private func archiveProgram(_ random: inout SeededGenerator) -> Int {
        // Programs with keyrings are rare.
        let programs =
            self.keyrings.isEmpty || random.chance(30) ? Array(self.programs.indices) : self.keyrings.sorted()
        return programs[random.below(programs.count)]
    }

    private func archiveSubject(_ random: inout SeededGenerator) -> String {
        ProgramArchives.subjects[random.below(ProgramArchives.subjects.count)]
    }
}

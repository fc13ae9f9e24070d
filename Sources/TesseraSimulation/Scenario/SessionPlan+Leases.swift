// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Steps in which leases expire, tokens are rejected, sessions end and keyrings fail.
///
/// They have their own random numbers, so that the other steps of a seed do not depend on them. Each function returns a
/// short sequence of steps that is rare by chance.
extension SessionPlan {
    typealias TimedAction = (time: Int64, action: Action)

    private static let second: Int64 = 1_000_000_000

    /// Adds the steps of a seed, with the numbers that follow those of the present steps.
    mutating func addLeaseSteps(seed: UInt64) {
        var random = SeededGenerator(seed: seed, stream: Simulation.Stream.leases.rawValue)
        var actions: [TimedAction] = []
        if self.store == .database {
            for _ in 0..<1 + random.below(3) { actions += self.lostLease(&random) }
        }
        if self.store == .files, random.chance(20) { actions += self.pause(&random) }
        if random.chance(40) { actions += self.rejections(&random) }
        if random.chance(40) { actions += self.twoAccounts(&random) }
        if random.chance(25) { actions += self.declined(&random) }
        if self.store != .memory, random.chance(25) { actions += self.failedSignOut(&random) }
        if random.chance(25) { actions += self.cancellation(&random) }
        if random.chance(15) { actions += self.keyring(&random) }
        self.add(actions)
    }

    /// A process that refreshes is stopped, or loses its lease or its database, while others use the session.
    private func lostLease(_ random: inout SeededGenerator) -> [TimedAction] {
        let start = Self.start(&random)
        let subject = self.subject(&random)
        let (owner, other) = (self.program(&random), self.program(&random))
        var actions = [(start, self.operation(.refresh, of: subject, in: owner))]
        // Most refreshes take less than 200 milliseconds, unless the response is slow.
        var fault = start + random.time(1_000_000...Self.second / 5)
        if random.chance(50) {
            var faults = NetworkFaults()
            faults.slowResponse = 60
            faults.lostResponse = random.below(20)
            actions.append((start - Self.second, .fault(.network(faults, seconds: 20 + random.below(100)))))
        }
        let machine = self.programs[owner]
        let seconds = 25 + random.below(95)
        switch random.below(10) {
        case 0...4: actions.append((fault, .fault(.pause(program: owner, seconds: seconds))))
        case 5: actions.append((fault, .fault(.partition(machine: machine, seconds: seconds))))
        case 6: actions.append((fault, .fault(.databaseDown(seconds: seconds))))
        case 7: actions.append((fault, .fault(.databaseErrors(percent: 30 + random.below(65), seconds: seconds))))
        default:
            // The other process waits for the lease, and then sends the same refresh token at the same time.
            fault = start + random.time(5_000_000...Self.second / 10)
            actions.append((start + random.time(0...5_000_000), self.operation(.refresh, of: subject, in: other)))
            actions.append((fault, .fault(.leasesLost)))
        }
        if random.chance(30) {
            let skew = random.below(7_200) - 3_600
            actions.append((fault, .fault(.clock(machine: random.below(self.machines), seconds: skew))))
        }
        // The other process waits for the lease, or acquires it when it has expired.
        for _ in 0..<1 + random.below(3) {
            let kinds: [SessionOperation.Kind] = [.refresh, .refresh, .refresh, .token, .call, .signOut, .signIn]
            let kind = kinds[random.below(kinds.count)]
            let time = fault + random.time(0...Int64(seconds + 20) * Self.second)
            actions.append((time, self.operation(kind, of: subject, in: random.chance(70) ? other : owner)))
        }
        for program in [owner, other] {
            let time = fault + Int64(seconds) * Self.second + random.time(0...30 * Self.second)
            actions.append((time, self.operation(.refresh, of: subject, in: program)))
        }
        return actions
    }

    private func pause(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, subject, program) = (Self.start(&random), self.subject(&random), self.program(&random))
        let time = start + random.time(0...Self.second / 5)
        return [
            (start, self.operation(.refresh, of: subject, in: program)),
            (time, .fault(.pause(program: program, seconds: 1 + random.below(90)))),
            (time + Self.second, self.operation(.refresh, of: subject, in: self.program(&random))),
        ]
    }

    /// Several calls use a token that the API rejects.
    private func rejections(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, subject, program) = (Self.start(&random), self.subject(&random), self.program(&random))
        let rejected = start + 200 * Self.second
        var actions: [TimedAction] = [
            (start, self.operation(.refresh, of: subject, in: program)),
            (rejected, .fault(.invalidated(subject: subject))),
        ]
        for _ in 0..<6 {
            actions.append(
                (rejected + random.time(1...Self.second / 2), self.operation(.call, of: subject, in: program))
            )
        }
        return actions
    }

    /// The token of one account is rejected immediately after another account's token was refreshed.
    private func twoAccounts(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, program) = (Self.start(&random), self.program(&random))
        let first = random.below(self.subjects.count)
        let (subject, other) = (self.subjects[first], self.subjects[(first + 1) % self.subjects.count])
        let refresh = start + 200 * Self.second
        return [
            (start, self.operation(.refresh, of: subject, in: program)),
            (refresh, self.operation(.refresh, of: other, in: program)),
            (refresh + 2 * Self.second, .fault(.invalidated(subject: subject))),
            (refresh + 3 * Self.second, self.operation(.call, of: subject, in: program)),
        ]
    }

    /// The provider declines a refresh with an error that is not final, and the user then revokes access.
    private func declined(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, subject, program) = (Self.start(&random), self.subject(&random), self.program(&random))
        let declined = start + 10 * Self.second
        return [
            (start, self.operation(.refresh, of: subject, in: program)),
            (declined, .fault(.declined(percent: 100, seconds: 20))),
            (declined + Self.second, self.operation(.refresh, of: subject, in: program)),
            (declined + 15 * Self.second, .fault(.revoked(subject: subject))),
            (declined + 40 * Self.second, self.operation(.refresh, of: subject, in: program)),
        ]
    }

    /// The store fails while the user signs out, and the program continues to use the session that has ended.
    private func failedSignOut(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, subject, program) = (Self.start(&random), self.subject(&random), self.program(&random))
        let machine = self.programs[program]
        let fault: Fault =
            self.store == .database
            ? .databaseErrors(percent: 100, seconds: 90) : .diskErrors(machine: machine, percent: 100, seconds: 90)
        let end = start + 91 * Self.second
        return [
            (start - Self.second, self.operation(.token, of: subject, in: program)),
            (start, .fault(fault)),
            (start + Self.second, self.operation(.signOut, of: subject, in: program)),
            (end + random.time(0...Self.second), self.operation(.endedRefresh, of: subject, in: program)),
            (end + 10 * Self.second, self.operation(.token, of: subject, in: program)),
            (end + 20 * Self.second, self.operation(.endedRefresh, of: subject, in: program)),
        ]
    }

    /// One of several callers that wait for a refresh is canceled.
    private func cancellation(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, subject, program) = (Self.start(&random), self.subject(&random), self.program(&random))
        let kinds: [SessionOperation.Kind] = [.refresh, .canceledToken, .canceledToken, .refresh]
        return kinds.map { kind in
            (start + random.time(0...Self.second / 20), self.operation(kind, of: subject, in: program))
        }
    }

    /// A program with a keyring uses its session while the keyring fails.
    private mutating func keyring(_ random: inout SeededGenerator) -> [TimedAction] {
        let machine = random.below(self.machines)
        let first = self.programs.count
        for _ in 0..<1 + random.below(2) {
            self.keyrings.insert(self.programs.count)
            self.programs.append(machine)
        }
        let start = Self.start(&random)
        var actions: [TimedAction] = self.subjects.map {
            (start - 60 * Self.second, self.operation(.signIn, of: $0, in: first))
        }
        for _ in 0..<1 + random.below(3) {
            let seconds = 1 + random.below(60)
            let fault: Fault =
                random.chance(50)
                ? .keyringLocked(machine: machine, seconds: seconds)
                : .keyringErrors(machine: machine, percent: 10 + random.below(60), seconds: seconds)
            let time = start + random.time(0...600 * Self.second)
            actions.append((time, .fault(fault)))
            for _ in 0..<3 {
                let program = first + random.below(self.programs.count - first)
                let kinds: [SessionOperation.Kind] = [.token, .refresh, .refresh, .call, .exit]
                let operation = self.operation(kinds[random.below(kinds.count)], of: self.subject(&random), in: program)
                actions.append((time + random.time(0...90 * Self.second), operation))
            }
        }
        return actions
    }

    private static func start(_ random: inout SeededGenerator) -> Int64 {
        random.time(100 * Self.second...6_500 * Self.second)
    }

    private func subject(_ random: inout SeededGenerator) -> String {
        self.subjects[random.below(self.subjects.count)]
    }

    private func program(_ random: inout SeededGenerator) -> Int { random.below(self.programs.count) }

    private func operation(_ kind: SessionOperation.Kind, of subject: String, in program: Int) -> Action {
        .operation(program: program, SessionOperation(kind, of: subject))
    }
}

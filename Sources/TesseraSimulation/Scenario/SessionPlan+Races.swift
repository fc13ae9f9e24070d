// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Steps in which consents, sign-outs and refreshes take place at once, or tokens could not be saved.
///
/// They have their own random numbers, so that the other steps of a seed do not depend on them. Each function returns a
/// short sequence of steps that is rare by chance.
extension SessionPlan {
    private static let second: Int64 = 1_000_000_000

    func races(seed: UInt64) -> [TimedAction] {
        var random = SeededGenerator(seed: seed, stream: Simulation.Stream.races.rawValue)
        var actions: [TimedAction] = []
        if self.store == .database, random.chance(60) { actions += self.overtaken(&random) }
        if self.store != .memory, random.chance(40) { actions += self.unsaved(&random) }
        if random.chance(30) { actions += self.consentDuringRefresh(in: Array(self.programs.indices), &random) }
        if self.store != .memory, random.chance(30) { actions += self.consentDuringSignOut(&random) }
        if random.chance(20) { actions += self.keptSession(&random) }
        return actions
    }

    /// A process is stopped before it sends a refresh token, and continues after another process has sent it.
    ///
    /// The other one still waits for the response, or its access token has expired.
    private func overtaken(_ random: inout SeededGenerator) -> [TimedAction] {
        let (owner, subject) = (random.below(self.programs.count), self.subject(&random))
        let start = self.start(&random)
        let pause = start + random.time(5_000_000...80_000_000)
        let (isWaiting, seconds) = random.chance(50) ? (true, 35) : (false, 65 + random.below(50))
        var slow = NetworkFaults()
        slow.slowResponse = 100
        var actions: [TimedAction] = [
            (start, self.operation(.refresh, of: subject, in: owner)),
            (pause, .fault(.pause(program: owner, seconds: seconds))),
            // A lease expires after 30 seconds.
            (pause + 20 * Self.second, self.operation(.refresh, of: subject, in: self.other(than: owner, &random))),
        ]
        if isWaiting { actions.append((pause + 28 * Self.second, .fault(.network(slow, seconds: 20)))) }
        return actions
    }

    /// Adds a refresh whose request arrives after another process has refreshed, in some seeds.
    ///
    /// The process is stopped meanwhile, so its lease expires. It receives the rejection while the database is down, for
    /// longer than a save is retried. The numbers of these steps follow those of all others.
    mutating func addLateRefusal(seed: UInt64) {
        var random = SeededGenerator(seed: seed, stream: Simulation.Stream.lateRefusal.rawValue)
        guard self.store == .database, random.chance(20) else { return }
        let (owner, subject) = (random.below(self.programs.count), self.subject(&random))
        let other = self.other(than: owner, &random)
        let start = self.start(&random)
        var slow = NetworkFaults()
        slow.slowRequest = 100
        self.add([
            (start - 2 * Self.second, self.operation(.token, of: subject, in: owner)),
            (start - Self.second, self.operation(.token, of: subject, in: other)),
            (start - Self.second / 2, .fault(.network(slow, seconds: 2))),
            (start, self.operation(.refresh, of: subject, in: owner)),
            (start + Self.second, .fault(.pause(program: owner, seconds: 55))),
            // A lease expires after 30 seconds.
            (start + 31 * Self.second, self.operation(.refresh, of: subject, in: other)),
            (start + 55 * Self.second, .fault(.databaseDown(seconds: 620))),
            (start + 700 * Self.second, self.operation(.refresh, of: subject, in: owner)),
        ])
    }

    /// A store fails while the response to a refresh is awaited.
    ///
    /// Then the wall clock is set back, or the user signs in again and receives no refresh token.
    private func unsaved(_ random: inout SeededGenerator) -> [TimedAction] {
        let (program, subject) = (random.below(self.programs.count), self.subject(&random))
        let machine = self.programs[program]
        let start = self.start(&random)
        var slow = NetworkFaults()
        slow.slowResponse = 100
        let failing: Fault =
            self.store == .database
            ? .databaseErrors(percent: 100, seconds: 40) : .diskErrors(machine: machine, percent: 100, seconds: 40)
        let end = start + 41 * Self.second
        let token = self.operation(.token, of: subject, in: program)
        var actions: [TimedAction] = [
            (start - Self.second, token),
            (start - Self.second / 2, .fault(.network(slow, seconds: 2))),
            (start, self.operation(.refresh, of: subject, in: program)),
            (start + Self.second / 2, .fault(failing)),
        ]
        if random.chance(50) {
            // A token that seems to come from more than a minute in the future is not used.
            let skew = -45 - random.below(50)
            // 20 seconds after the tokens have expired.
            let expired = start + Int64(self.settings.lifetime + 20) * Self.second
            actions += [
                (end, .fault(.clock(machine: machine, seconds: skew))),
                // The tokens are saved and used, unless they have expired.
                (end + Self.second, self.operation(.refresh, of: subject, in: program)),
                (end + 5 * Self.second, token),
                (max(expired, end + 6 * Self.second), token),
            ]
        } else {
            actions += [
                (end, self.operation(.repeatedSignIn, of: subject, in: program)),
                (end + 60 * Self.second, self.operation(.refresh, of: subject, in: program)),
            ]
        }
        return actions
    }

    /// The user signs in while the same program, which is one of the given ones, refreshes.
    func consentDuringRefresh(in programs: [Int], _ random: inout SeededGenerator) -> [TimedAction] {
        let (program, subject) = (programs[random.below(programs.count)], self.subject(&random))
        let start = self.start(&random)
        return (0..<3)
            .flatMap { count -> [TimedAction] in
                let time = start + Int64(count) * 20 * Self.second
                return [
                    (time, self.operation(.refresh, of: subject, in: program)),
                    (time + random.time(1_000_000...100_000_000), self.operation(.signIn, of: subject, in: program)),
                    (time + 10 * Self.second, self.operation(.token, of: subject, in: program)),
                ]
            }
    }

    /// The user signs in with one program, and out with another, while one of them refreshes.
    private func consentDuringSignOut(_ random: inout SeededGenerator) -> [TimedAction] {
        let (program, subject) = (random.below(self.programs.count), self.subject(&random))
        let other = self.other(than: program, &random)
        let start = self.start(&random)
        var slow = NetworkFaults()
        slow.slowResponse = 100
        return [
            (start - Self.second, self.operation(.token, of: subject, in: other)),
            (start - Self.second / 2, .fault(.network(slow, seconds: 1))),
            (start, self.operation(.refresh, of: subject, in: program)),
            (start + Self.second + random.time(0...Self.second), self.operation(.signOut, of: subject, in: other)),
            (start + 2 * Self.second, self.operation(.signIn, of: subject, in: program)),
            (start + 130 * Self.second, self.operation(.refresh, of: subject, in: program)),
        ]
    }

    /// A program keeps a session object, restores the session, and signs out with the restored object.
    private func keptSession(_ random: inout SeededGenerator) -> [TimedAction] {
        let (program, subject) = (random.below(self.programs.count), self.subject(&random))
        let start = self.start(&random)
        let kinds: [SessionOperation.Kind] = [.keep, .token, .signOut, .keptToken, .signIn]
        return kinds.enumerated()
            .map { offset, kind in
                (start + Int64(offset) * 5 * Self.second, self.operation(kind, of: subject, in: program))
            }
    }

    private func start(_ random: inout SeededGenerator) -> Int64 {
        let last = max(1_000, 6_500 - Int64(self.settings.lifetime))
        return random.time(100 * Self.second...last * Self.second)
    }

    private func subject(_ random: inout SeededGenerator) -> String {
        self.subjects[random.below(self.subjects.count)]
    }

    /// Returns another program with the same store, or the same program if it is the only one.
    private func other(than program: Int, _ random: inout SeededGenerator) -> Int {
        let others = self.programs.indices.filter { other in
            other != program && self.keyrings.contains(other) == self.keyrings.contains(program)
                && (self.store == .database || self.programs[other] == self.programs[program])
        }
        return others.isEmpty ? program : others[random.below(others.count)]
    }

    private func operation(_ kind: SessionOperation.Kind, of subject: String, in program: Int) -> Action {
        .operation(program: program, SessionOperation(kind, of: subject))
    }
}

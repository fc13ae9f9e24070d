// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Steps in which threads are busy, requests are slow, apps are suspended or keyrings are reset, and operations that no
/// other steps have.
///
/// They have their own random numbers, so that the other steps of a seed do not depend on them.
extension SessionPlan {
    private static let second: Int64 = 1_000_000_000

    /// Adds the steps of a seed, with the numbers that follow those of the present steps.
    mutating func addDelays(seed: UInt64) {
        var random = SeededGenerator(seed: seed, stream: Simulation.Stream.delays.rawValue)
        var actions: [TimedAction] = []
        if random.chance(25) { actions += self.busyThreads(&random) }
        if self.store == .database, random.chance(50) { actions += self.overtakenRequest(&random) }
        if self.store == .files, random.chance(40) {
            actions += self.suspendedApps(&random)
            actions += self.busyConsent(&random)
        }
        if !self.keyrings.isEmpty, random.chance(50) { actions += self.resetKeyrings(&random) }
        if random.chance(40) { actions += self.rareOperations(&random) }
        self.add(actions)
    }

    private func rareOperations(_ random: inout SeededGenerator) -> [TimedAction] {
        (0..<3 + random.below(5))
            .map { _ in
                let kinds: [SessionOperation.Kind] = [
                    .validToken, .validToken, .narrowedToken, .narrowedToken, .narrowedToken, .events, .revocation,
                ]
                let time = self.fault(&random) { _ in true }.time + random.time(0...20 * Self.second)
                let subject = self.subjects[random.below(self.subjects.count)]
                let kind = kinds[random.below(kinds.count)]
                return (time, self.operation(kind, of: subject, in: random.below(self.programs.count)))
            }
    }

    /// A keyring loses all items while its programs refresh, sign in or sign out.
    private func resetKeyrings(_ random: inout SeededGenerator) -> [TimedAction] {
        let programs = self.keyrings.sorted()
        return (0..<1 + random.below(3))
            .flatMap { _ -> [TimedAction] in
                let start = self.start(&random)
                let machine = self.programs[programs[0]]
                let reset = start + random.time(0...Self.second / 2)
                var actions: [TimedAction] = [(reset, .fault(.keyringReset(machine: machine)))]
                let kinds: [SessionOperation.Kind] = [.refresh, .refresh, .token, .call, .signOut, .signIn]
                let times: [Int64] = [0, 0, 1, 2].map { start + $0 * Self.second }
                for time in times + [start + 30 * Self.second] {
                    let kind = time < start + 30 * Self.second ? kinds[random.below(kinds.count)] : .signIn
                    let subject = self.subjects[random.below(self.subjects.count)]
                    let program = programs[random.below(programs.count)]
                    actions.append((time, self.operation(kind, of: subject, in: program)))
                }
                return actions
            }
    }

    /// Threads are busy during some of the present steps.
    private func busyThreads(_ random: inout SeededGenerator) -> [TimedAction] {
        (0..<3 + random.below(4))
            .map { _ in
                let time = self.steps[random.below(self.steps.count)].time - Self.second / 10
                let fault = Fault.threadsBusy(percent: 2 + random.below(9), seconds: 5 + random.below(120))
                return (max(0, time), .fault(fault))
            }
    }

    /// The user signs in while the same app refreshes and threads are busy.
    private func busyConsent(_ random: inout SeededGenerator) -> [TimedAction] {
        let actions = self.consentDuringRefresh(in: self.apps.sorted(), &random)
        let fault = Fault.threadsBusy(percent: 5 + random.below(20), seconds: 60)
        return [(actions[0].time - Self.second / 10, .fault(fault))] + actions
    }

    /// A refresh token arrives at the provider after another process has taken over the lease and sent it, too.
    ///
    /// That process still waits for its response, or its access token has expired by then.
    private func overtakenRequest(_ random: inout SeededGenerator) -> [TimedAction] {
        let subject = self.subjects[random.below(self.subjects.count)]
        let owner = random.below(self.programs.count)
        let other = (owner + 1 + random.below(self.programs.count - 1)) % self.programs.count
        let start = self.start(&random)
        var slowRequest = NetworkFaults()
        slowRequest.slowRequest = 100
        var slowResponse = NetworkFaults()
        slowResponse.slowResponse = 100
        var actions: [TimedAction] = [
            (start, .fault(.network(slowRequest, seconds: 1))),
            (start + Self.second / 10, self.operation(.refresh, of: subject, in: owner)),
            (start + Self.second, .fault(.leasesLost)),
            (start + 2 * Self.second, self.operation(.refresh, of: subject, in: other)),
        ]
        if random.chance(50) {
            actions.append((start + 3 * Self.second / 2, .fault(.network(slowResponse, seconds: 3))))
        }
        return actions
    }

    /// Apps enter the background while they refresh, sign in or sign out, and others use the same sessions meanwhile.
    private mutating func suspendedApps(_ random: inout SeededGenerator) -> [TimedAction] {
        let others = self.programs.indices.filter { !self.keyrings.contains($0) }
        let machine = self.programs[others[random.below(others.count)]]
        let first = self.programs.count
        for _ in 0..<1 + random.below(2) {
            self.apps.insert(self.programs.count)
            self.programs.append(machine)
        }
        let sharing = self.programs.indices.filter { self.programs[$0] == machine && !self.keyrings.contains($0) }
        let subjects = self.subjects + self.openIDAccounts
        var actions: [TimedAction] = []
        for _ in 0..<3 + random.below(5) {
            let start = self.start(&random)
            let subject = subjects[random.below(subjects.count)]
            let app = first + random.below(self.programs.count - first)
            let kinds: [SessionOperation.Kind] = [
                .refresh, .refresh, .refresh, .refresh, .call, .signIn, .browserSignIn, .addScopes, .signOut,
                .disconnect,
            ]
            if random.chance(60) {
                var faults = NetworkFaults()
                faults.slowRequest = random.below(60)
                faults.slowResponse = 60
                faults.lostResponse = random.below(20)
                actions.append((start - Self.second / 2, .fault(.network(faults, seconds: 2))))
            }
            let seconds = 10 + random.below(200)
            actions += [
                (start, self.operation(kinds[random.below(kinds.count)], of: subject, in: app)),
                (start + random.time(0...Self.second), .fault(.background(program: app, seconds: seconds))),
            ]
            for _ in 0..<1 + random.below(4) {
                let kinds: [SessionOperation.Kind] = [.refresh, .refresh, .refresh, .token, .call, .signIn, .signOut]
                let program = random.chance(50) ? app : sharing[random.below(sharing.count)]
                let time = start + random.time(0...Int64(seconds + 20) * Self.second)
                actions.append((time, self.operation(kinds[random.below(kinds.count)], of: subject, in: program)))
            }
        }
        return actions
    }

    private func start(_ random: inout SeededGenerator) -> Int64 {
        random.time(100 * Self.second...6_500 * Self.second)
    }

    private func operation(_ kind: SessionOperation.Kind, of subject: String, in program: Int) -> Action {
        .operation(program: program, SessionOperation(kind, of: subject))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Steps with accounts at the third issuer, with programs that act for themselves, and with apps whose time runs out.
///
/// They have their own random numbers, so that the other steps of a seed do not depend on them.
extension SessionPlan {
    private static let second: Int64 = 1_000_000_000

    /// Adds the steps of a seed, with the numbers that follow those of the present steps.
    mutating func addSessionSteps(seed: UInt64) {
        var random = SeededGenerator(seed: seed, stream: Simulation.Stream.session.rawValue)
        let registrations = SimulatedProvider.Registration.allCases
        self.settings.registration = registrations[random.below(registrations.count)]
        var actions: [TimedAction] = []
        if random.chance(40) {
            switch random.below(14) {
            case 0...2: actions = self.otherIdentity(&random)
            case 3, 4: actions = self.claims(&random)
            case 5...7: actions = self.withoutRefreshToken(&random)
            case 8: actions = self.withoutLifetime(&random)
            case 9, 10: actions = self.services(&random)
            case 11, 12: actions = self.accounts(&random)
            default: actions = self.endedSession(&random)
            }
        }
        if self.store != .memory, random.chance(5) { actions += self.consentDuringDisconnection(&random) }
        if self.store == .files, random.chance(16) { actions += self.timeRunsOut(&random) }
        if random.chance(8) { actions += self.clockSetBack(&random) }
        if self.store != .memory, random.chance(8) { actions += self.consentAfterFailedSave(&random) }
        self.add(actions)
    }

    // MARK: The third issuer

    /// Refreshes return the claims of another user, or other values of claims that the program requires.
    private func otherIdentity(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, name, program) = (self.start(&random), self.name(&random), self.program(&random))
        let other = self.other(than: program, &random)
        let deviations: [SimulatedProvider.Deviation] = [
            .otherUser, .otherUser, .otherDomain, .tenantNumber, .noDomain,
        ]
        let deviation = deviations[random.below(deviations.count)]
        let kinds: [SessionOperation.Kind] = [.refresh, .refresh, .narrowedToken, .userInfo, .browserSignIn]
        return [
            (start, self.operation(.browserSignIn, name, program)),
            (start + 25 * Self.second, self.operation(.userInfo, name, program)),
            (start + 60 * Self.second, .fault(.deviation(deviation, seconds: 20))),
            (start + 61 * Self.second, self.operation(kinds[random.below(kinds.count)], name, program)),
            (start + 62 * Self.second, self.operation(.refresh, name, other)),
            (start + 70 * Self.second, self.operation(.token, name, program)),
            (start + 75 * Self.second, self.operation(.endedSession, name, program)),
            (start + 100 * Self.second, self.operation(.details, name, other)),
        ]
    }

    /// The user has claims that only the ID token of the sign-in contains.
    private func claims(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, name, program) = (self.start(&random), self.name(&random), self.program(&random))
        let other = self.other(than: program, &random)
        var actions: [TimedAction] = [
            (start, self.operation(.serverSignIn, name, program)),
            (start + 30 * Self.second, self.operation(.details, name, program)),
            (start + 39 * Self.second, .fault(.deviation(.noDomain, seconds: 30))),
            (start + 40 * Self.second, self.operation(.refresh, name, program)),
            (start + 90 * Self.second, self.operation(.refresh, name, other)),
        ]
        for count in 0..<4 {
            let time = start + (43 + Int64(count) * 10) * Self.second
            actions.append((time, self.operation(.claims, name, random.chance(50) ? program : other)))
        }
        return actions
    }

    /// The consent produces no refresh token.
    private func withoutRefreshToken(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, name, program) = (self.start(&random), self.name(&random), self.program(&random))
        var actions: [TimedAction] = [(start, .fault(.deviation(.noRefreshToken, seconds: 60)))]
        // The user may have consented before.
        if random.chance(20) {
            actions.append((start - 30 * Self.second, self.operation(.browserSignIn, name, program)))
        }
        let kinds: [SessionOperation.Kind] = [
            .token, .refresh, .narrowedToken, .cachedToken, .details, .validToken, .call,
        ]
        actions.append((start + Self.second / 2, self.operation(.browserSignIn, name, program)))
        let end = min(40, Int64(self.settings.lifetime))
        for _ in 0..<2 + random.below(3) {
            let time = start + 22 * Self.second + random.time(0...end * Self.second)
            let kind = kinds[random.below(kinds.count)]
            actions.append((time, self.operation(kind, name, program)))
        }
        let ends: [SessionOperation.Kind] = [.disconnect, .revocation, .token, .refresh]
        let time = random.chance(50) ? 40 : Int64(min(self.settings.lifetime, 600)) + 30
        for count in 0..<2 {
            let kind = ends[random.below(ends.count)]
            let offset = (time + Int64(count) * 5) * Self.second
            actions.append((start + offset, self.operation(kind, name, program)))
        }
        return actions
    }

    /// Responses contain no lifetime, or fewer scopes than requested.
    private func withoutLifetime(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, name, program) = (self.start(&random), self.name(&random), self.program(&random))
        let deviation: SimulatedProvider.Deviation = random.chance(50) ? .noLifetime : .fewerScopes
        return [
            (start, .fault(.deviation(deviation, seconds: 60))),
            (start + Self.second, self.operation(.browserSignIn, name, program)),
            (start + 30 * Self.second, self.operation(.refresh, name, self.other(than: program, &random))),
            (start + 40 * Self.second, self.operation(.details, name, program)),
            (start + 50 * Self.second, self.operation(.addScopes, name, program)),
            (start + 120 * Self.second, self.operation(.call, name, program)),
        ]
    }

    /// Programs act for themselves while their tokens expire or are rejected, or the wall clock is set.
    private func services(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, name, program) = (self.start(&random), self.name(&random), self.program(&random))
        let service = SimulatedProvider.service
        let lifetime = Int64(self.settings.lifetime) * Self.second
        let kind: SessionOperation.Kind = random.chance(60) ? .serviceToken : .assertedToken
        var actions: [TimedAction] = [
            (start, self.operation(kind, service, program)),
            (start + 15 * Self.second, .fault(.invalidated(subject: service))),
            (start + 16 * Self.second, self.operation(.serviceCall, service, program)),
            (start + lifetime * 19 / 20, self.operation(kind, service, program)),
            (start + lifetime * 21 / 20 + Self.second, self.operation(kind, service, program)),
        ]
        if random.chance(50) {
            actions += [
                (start + 20 * Self.second, self.operation(.browserSignIn, name, program)),
                (start + 50 * Self.second, self.operation(.exchangedToken, name, program)),
            ]
        }
        return actions
    }

    /// The user has two accounts, and the key of one of them is lost.
    private func accounts(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, program) = (self.start(&random), self.program(&random))
        let names = self.subjects.map(SimulatedIssuer.work.name)
        let name = names[random.below(names.count)]
        let other = self.other(than: program, &random)
        var actions: [TimedAction] = names.map { (start, self.operation(.browserSignIn, $0, program)) }
        actions += [
            (start + 30 * Self.second, self.operation(.defaultAccount, name, other)),
            (start + 40 * Self.second, self.operation(.keyRemoval, name, other)),
            (start + 45 * Self.second, self.operation(random.chance(50) ? .refresh : .cachedToken, name, program)),
            (start + 60 * Self.second, self.operation(.token, name, other)),
            (start + 70 * Self.second, self.operation(.endedSession, name, program)),
            (start + 80 * Self.second, self.operation(.defaultAccount, names[0], program)),
        ]
        return actions
    }

    /// The user revokes access while a program caches tokens.
    private func endedSession(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, name, program) = (self.start(&random), self.name(&random), self.program(&random))
        return [
            (start, self.operation(.browserSignIn, name, program)),
            (start + 30 * Self.second, self.operation(.cachedToken, name, program)),
            (start + 40 * Self.second, .fault(.revoked(subject: name))),
            (start + 41 * Self.second, self.operation(.refresh, name, program)),
            (start + 42 * Self.second, self.operation(.endedSession, name, program)),
            (start + 43 * Self.second, self.operation(.details, name, program)),
        ]
    }

    /// The user signs in with another program while one waits for a refresh to revoke access.
    private func consentDuringDisconnection(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, program) = (self.start(&random), self.program(&random))
        let subject = self.subjects[random.below(self.subjects.count)]
        var slow = NetworkFaults()
        slow.slowResponse = 100
        return [
            (start - 5 * Self.second, self.operation(.token, subject, program)),
            (start - Self.second / 2, .fault(.network(slow, seconds: 1))),
            (start, self.operation(.refresh, subject, program)),
            (start + Self.second, self.operation(.disconnect, subject, program)),
            (start + 2 * Self.second, self.operation(.signIn, subject, self.other(than: program, &random))),
        ]
    }

    /// The wall clock is set back while a program awaits its first token, which then expires.
    private func clockSetBack(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, program) = (self.start(&random), self.program(&random))
        let isService = random.chance(50)
        let name = isService ? SimulatedProvider.service : self.name(&random)
        var slow = NetworkFaults()
        slow.slowResponse = 100
        let skew = -45 - random.below(50)
        let expired = start + Int64(self.settings.lifetime + 3) * Self.second
        return [
            (start - Self.second / 2, .fault(.network(slow, seconds: 2))),
            (start, self.operation(isService ? .serviceToken : .browserSignIn, name, program)),
            (start + Self.second, .fault(.clock(machine: self.programs[program], seconds: skew))),
            (expired, self.operation(isService ? .serviceToken : .token, name, program)),
        ]
    }

    /// The new refresh token of one program is not saved, and another one consents again without a refresh token.
    private func consentAfterFailedSave(_ random: inout SeededGenerator) -> [TimedAction] {
        let (start, program) = (self.start(&random), self.program(&random))
        let subject = self.subjects[random.below(self.subjects.count)]
        let other = self.other(than: program, &random)
        var slow = NetworkFaults()
        slow.slowResponse = 100
        let failing: Fault =
            self.store == .database
            ? .databaseErrors(percent: 100, seconds: 130)
            : .diskErrors(machine: self.programs[program], percent: 100, seconds: 130)
        return [
            (start - 2 * Self.second, self.operation(.token, subject, program)),
            (start - Self.second, self.operation(.token, subject, other)),
            (start - Self.second / 2, .fault(.network(slow, seconds: 1))),
            (start, self.operation(.refresh, subject, program)),
            (start + Self.second, .fault(failing)),
            (start + 131 * Self.second, self.operation(.repeatedSignIn, subject, other)),
            (start + 140 * Self.second, self.operation(.refresh, subject, program)),
        ]
    }

    // MARK: Apps

    /// The time of an app's activities runs out while it refreshes or revokes access.
    private mutating func timeRunsOut(_ random: inout SeededGenerator) -> [TimedAction] {
        let shared = self.programs.indices.filter { !self.keyrings.contains($0) }
        let machine = self.programs[shared[random.below(shared.count)]]
        let app = self.apps.sorted().first { self.programs[$0] == machine } ?? self.programs.count
        if app == self.programs.count {
            self.apps.insert(app)
            self.programs.append(machine)
        }
        let others = shared.filter { $0 != app && self.programs[$0] == machine }
        let other = others.isEmpty ? app : others[random.below(others.count)]
        let start = self.start(&random)
        let isWork = random.chance(50)
        let name = isWork ? self.name(&random) : self.subjects[random.below(self.subjects.count)]
        var slow = NetworkFaults()
        slow.slowResponse = 100
        // The metadata must be fetched again after five minutes.
        let age: Int64 = isWork && random.chance(25) ? 340 : 40
        var actions: [TimedAction] = [
            (max(Self.second, start - age * Self.second), self.operation(isWork ? .browserSignIn : .signIn, name, app)),
            (start - 15 * Self.second, self.operation(.token, name, other)),
            (
                start + random.time(0...Self.second),
                .fault(.background(program: app, seconds: 36 + random.below(65)))
            ),
        ]
        let slowFault = (time: start - Self.second / 2, action: Action.fault(.network(slow, seconds: 2)))
        switch random.below(isWork ? 7 : 5) {
        case 0:
            actions += [slowFault, (start, self.operation(.revocation, name, app))]
            if random.chance(40) {
                let kind: SessionOperation.Kind = isWork ? .browserSignIn : .signIn
                actions.append((start + 32 * Self.second, self.operation(kind, name, other)))
            }
        case 1:
            let time = start + (31 + Int64(random.below(15))) * Self.second
            actions += [
                slowFault, (start, self.operation(.refresh, name, app)),
                (time, self.operation(.repeatedSignIn, name, other)),
            ]
        case 2:
            let kind: SessionOperation.Kind = random.chance(50) ? .refresh : .narrowedToken
            actions += [
                slowFault, (start - Self.second, .fault(.declined(percent: 100, seconds: 150))),
                (start, self.operation(kind, name, app)),
            ]
        case 3:
            let losesKey = isWork && self.settings.registration == .boundTokens
            if !losesKey { slow.lostResponse = 50 }
            let kind: SessionOperation.Kind = losesKey ? .keyRemoval : random.chance(50) ? .refresh : .signIn
            actions += [
                (start - Self.second / 2, .fault(.network(slow, seconds: 2))),
                (start, self.operation(.narrowedToken, name, app)),
                (start + 35 * Self.second, self.operation(kind, name, other)),
            ]
        case 5, 6:
            // The keys are fetched after the first response has arrived.
            let time = start + random.time(Self.second / 50...Self.second / 5)
            actions += [
                (start - Self.second, .fault(.keysRotated)), (start, self.operation(.refresh, name, app)),
                (time, .fault(.network(slow, seconds: 3))),
            ]
        default:
            actions += [
                (start - Self.second, .fault(.keysRotated)),
                (start - Self.second, self.operation(.refreshes, name, app)),
                (start - Self.second / 2, .fault(.threadsBusy(percent: 100, seconds: 45))),
                (start, self.operation(.refreshes, name, app)),
            ]
        }
        return actions
    }

    // MARK: Choices

    private func start(_ random: inout SeededGenerator) -> Int64 {
        random.time(100 * Self.second...6_000 * Self.second)
    }

    /// Returns the name of a user's account at the third issuer.
    private func name(_ random: inout SeededGenerator) -> String {
        SimulatedIssuer.work.name(of: self.subjects[random.below(self.subjects.count)])
    }

    private func program(_ random: inout SeededGenerator) -> Int { random.below(self.programs.count) }

    /// Returns another program with the same store, or the same program if it is the only one.
    private func other(than program: Int, _ random: inout SeededGenerator) -> Int {
        let others = self.programs.indices.filter { other in
            other != program && self.store != .memory
                && self.keyrings.contains(other) == self.keyrings.contains(program)
                && (self.store == .database || self.programs[other] == self.programs[program])
        }
        return others.isEmpty ? program : others[random.below(others.count)]
    }

    private func operation(_ kind: SessionOperation.Kind, _ name: String, _ program: Int) -> Action {
        .operation(program: program, SessionOperation(kind, of: name))
    }
}

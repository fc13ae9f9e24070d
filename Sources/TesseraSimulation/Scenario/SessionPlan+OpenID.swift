// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Steps with an account whose provider issues ID tokens.
///
/// The account has the same subject as another one in the same stores. The steps have their own random numbers, so that
/// the other steps of a seed do not depend on them.
extension SessionPlan {
    private static let second: Int64 = 1_000_000_000

    /// The names of the accounts with ID tokens that operations use.
    var openIDAccounts: [String] {
        let names = self.steps.compactMap { step -> String? in
            if case .operation(_, let operation) = step.action { operation.subject } else { nil }
        }
        return Set(names).filter { SimulatedIssuer(of: $0) == .openID }.sorted()
    }

    /// Returns the steps of a seed, or none in six of ten plans.
    func openIDSteps(seed: UInt64) -> [TimedAction] {
        var random = SeededGenerator(seed: seed, stream: Simulation.Stream.openID.rawValue)
        guard random.chance(40) else { return [] }
        let name = SimulatedIssuer.openID.name(of: self.subjects[random.below(self.subjects.count)])
        var actions: [TimedAction] = []
        for program in self.programs.indices where self.isFirst(program) {
            let kind: SessionOperation.Kind = random.chance(50) ? .signIn : .browserSignIn
            let time = random.time(2 * Self.second...4 * Self.second)
            actions.append((time, .operation(program: program, SessionOperation(kind, of: name))))
        }
        for _ in 0..<1 + random.below(3) { actions += self.keyRotation(name, &random) }
        for _ in 0..<4 + random.below(5) {
            let kinds: [SessionOperation.Kind] = [
                .token, .token, .tokens, .canceledToken, .refresh, .refresh, .call, .addScopes, .signIn, .signOut,
            ]
            let kind = kinds[random.below(kinds.count)]
            let time = self.fault(&random) { _ in true }.time + random.time(0...20 * Self.second)
            actions.append((time, self.operation(kind, name, &random)))
        }
        return actions
    }

    /// The provider replaces its key, and a process must fetch the new one during its next refresh.
    private func keyRotation(_ name: String, _ random: inout SeededGenerator) -> [TimedAction] {
        let start = random.time(100 * Self.second...6_500 * Self.second)
        let program = random.below(self.programs.count)
        let refresh = Action.operation(program: program, SessionOperation(.refresh, of: name))
        // The keys are fetched at most once in a minute.
        let refreshed = start + 100 * Self.second
        // The keys are fetched between 0.05 and 0.4 seconds after most refreshes have begun.
        let fetched = refreshed + random.time(Self.second / 20...2 * Self.second / 5)
        var actions: [TimedAction] = [
            (start, refresh), (refreshed - Self.second, .fault(.keysRotated)), (refreshed, refresh),
        ]
        switch random.below(10) {
        case 0...4: actions.append((fetched, .fault(.kill(program: program, afterOperations: 0))))
        case 5: actions.append((fetched, .fault(.powerLoss(machine: self.programs[program]))))
        case 6: actions.append((fetched, .fault(.pause(program: program, seconds: 1 + random.below(90)))))
        case 7: actions.append((fetched, .fault(.unavailable(percent: 50 + random.below(51), seconds: 10))))
        case 8: actions.append((fetched, .fault(.keysRotated)))
        default: break
        }
        for _ in 0..<2 {
            actions.append((fetched + random.time(0...120 * Self.second), self.operation(.refresh, name, &random)))
        }
        return actions
    }

    /// Returns an operation of any program.
    private func operation(
        _ kind: SessionOperation.Kind,
        _ name: String,
        _ random: inout SeededGenerator
    ) -> Action {
        .operation(program: random.below(self.programs.count), SessionOperation(kind, of: name))
    }
}

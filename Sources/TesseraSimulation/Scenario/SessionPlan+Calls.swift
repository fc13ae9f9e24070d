// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension SessionPlan {
    private static let second: Int64 = 1_000_000_000

    /// Adds steps with the numbers that follow those of the present steps.
    mutating func add(_ actions: [(time: Int64, action: Action)]) {
        let count = self.steps.count
        for (offset, item) in actions.enumerated() {
            self.steps.append(Step(number: count + offset, time: item.time, action: item.action))
        }
        self.steps.sort { ($0.time, $0.number) < ($1.time, $1.number) }
    }

    /// Returns uploads, calls and consents, most of them at the times of faults.
    ///
    /// They have their own random numbers, so that the other steps of a seed do not depend on them.
    func calls(seed: UInt64) -> [(time: Int64, action: Action)] {
        var random = SeededGenerator(seed: seed, stream: Simulation.Stream.calls.rawValue)
        return self.uploads(&random) + self.posts(&random) + self.consents(&random)
    }

    private func uploads(_ random: inout SeededGenerator) -> [(time: Int64, action: Action)] {
        var actions: [(time: Int64, action: Action)] = []
        for _ in 0..<1 + random.below(2) {
            let (start, fault) = self.fault(&random) { fault in
                switch fault {
                case .kill, .network, .unavailable, .partition: true
                default: false
                }
            }
            var program = random.below(self.programs.count)
            if case .kill(let killed, _) = fault { program = killed }
            let subject = self.subjects[random.below(self.subjects.count)]
            let upload = Action.operation(program: program, SessionOperation(.upload, of: subject))
            let time = start + random.time(0...20 * Self.second)
            actions.append((time, upload))
            // The second one continues the first one if that was interrupted.
            if random.chance(60) { actions.append((time + random.time(0...300 * Self.second), upload)) }
            if random.chance(15) { actions.append((time + random.time(0...Self.second), .fault(.uploadsLost))) }
        }
        return actions
    }

    private func posts(_ random: inout SeededGenerator) -> [(time: Int64, action: Action)] {
        let (start, fault) = self.fault(&random) { if case .invalidated = $0 { true } else { false } }
        var subject = self.subjects[random.below(self.subjects.count)]
        if case .invalidated(let name) = fault { subject = name }
        return [SessionOperation.Kind.post, .followedCall]
            .map { kind in
                (
                    start + random.time(0...5 * Self.second),
                    .operation(program: random.below(self.programs.count), SessionOperation(kind, of: subject))
                )
            }
    }

    /// Returns a consent during a fault of a store, between two refreshes of another program.
    private func consents(_ random: inout SeededGenerator) -> [(time: Int64, action: Action)] {
        guard random.chance(60) else { return [] }
        let (start, _) = self.fault(&random) { fault in
            switch fault {
            case .diskFull, .diskErrors, .databaseErrors, .databaseDown: true
            default: false
            }
        }
        let subject = self.subjects[random.below(self.subjects.count)]
        let kind: SessionOperation.Kind = random.chance(70) ? .addScopes : .browserSignIn
        let program = random.below(self.programs.count)
        let refresh = Action.operation(program: program, SessionOperation(.refresh, of: subject))
        let other = random.below(self.programs.count)
        let first = start + random.time(0...30 * Self.second)
        let consent = first + random.time(0...60 * Self.second)
        return [
            (first, refresh),
            (consent, .operation(program: other, SessionOperation(kind, of: subject))),
            (consent + random.time(0...60 * Self.second), refresh),
        ]
    }

    /// Returns the time and the kind of a fault that meets a condition, or of any fault if there is none.
    func fault(
        _ random: inout SeededGenerator,
        where condition: (Fault) -> Bool
    ) -> (time: Int64, fault: Fault?) {
        let faults = self.steps.compactMap { step in
            if case .fault(let fault) = step.action { (step.time, fault) } else { nil }
        }
        let wanted = faults.filter { condition($0.1) }
        let candidates = wanted.isEmpty ? faults : wanted
        guard !candidates.isEmpty else { return (random.time(0...Self.second), nil) }
        return candidates[random.below(candidates.count)]
    }
}

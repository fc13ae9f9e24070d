// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Calls and imports that use many of a fetcher's settings.
///
/// They have their own random numbers, so that the other steps of a seed do not depend on them.
extension SessionPlan {
    private static let second: Int64 = 1_000_000_000

    /// Returns one or two short sequences of operations.
    func fetches(seed: UInt64) -> [TimedAction] {
        var random = SeededGenerator(seed: seed, stream: Simulation.Stream.fetch.rawValue)
        return (0..<1 + random.below(2)).flatMap { _ in self.fetch(&random) }
    }

    /// Returns a call, or an import that other operations continue or cancel, often during a fault of the network.
    private func fetch(_ random: inout SeededGenerator) -> [TimedAction] {
        let (fault, _) = self.fault(&random) { fault in
            switch fault {
            case .kill, .network, .unavailable, .partition, .invalidated, .pause: true
            default: false
            }
        }
        let start = random.chance(40) ? fault : random.time(100 * Self.second...6_500 * Self.second)
        let time = start + random.time(0...20 * Self.second)
        let name =
            random.chance(10)
            ? self.openIDAccounts.first ?? self.subjects[0] : self.subjects[random.below(self.subjects.count)]
        let program = random.below(self.programs.count)
        let calls: [SessionOperation.Kind] = [
            .limitedCalls, .limitedCalls, .throttledCall, .deniedCall, .movedCall, .movedCall, .boundCall,
            .configuredCall, .configuredCall, .interceptedCall,
        ]
        guard random.chance(30) else {
            let kind = calls[random.below(calls.count)]
            let call: TimedAction = (time, .operation(program: program, SessionOperation(kind, of: name)))
            guard [.limitedCalls, .throttledCall].contains(kind), random.chance(30) else { return [call] }
            var faults = NetworkFaults()
            (faults.lostResponse, faults.halfResponse) = (random.below(50), random.below(70))
            return [(time - Self.second / 10, .fault(.network(faults, seconds: 3))), call]
        }
        var actions: [TimedAction] = [
            (time, .operation(program: program, SessionOperation(.importCall, of: name)))
        ]
        if random.chance(85) {
            let kind: SessionOperation.Kind = random.chance(35) ? .canceledImport : .importCall
            let later = time + random.time(0...400 * Self.second)
            actions.append((later, .operation(program: program, SessionOperation(kind, of: name))))
        }
        return actions
    }
}

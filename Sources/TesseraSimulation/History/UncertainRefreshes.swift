// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The consents whose last refresh may have been interrupted.
///
/// A session ends as `interrupted` only if the result of a refresh was unknown to a process, or if a process may have
/// been unable to remove a refresh mark.
struct UncertainRefreshes: Sendable {
    private enum Fault: Hashable {
        case disk(SimulationEvent.Actor)
        case space(SimulationEvent.Actor)
        case keyring(SimulationEvent.Actor)
        case connection, database
    }

    private var consents: Set<Int> = []
    private var uncertain: Set<Int> = []
    /// The last time at which the result of a consent's refresh became known.
    private var resolved: [Int: Int64] = [:]
    private var faults: Set<Fault> = []

    mutating func observe(_ event: SimulationEvent) {
        switch event.action {
        case .consented(let token), .exchanged(let token?, _, _, _): self.consents.insert(token.consent)
        case .saved(let tokens, _):
            if let refresh = tokens.refresh, !tokens.isMarked, self.uncertain.remove(refresh.consent) != nil {
                self.resolved[refresh.consent] = event.time
            }
        case .killed, .paused, .activitiesExpired, .lostPower, .saveFailed, .leaseTaken, .leaseLost, .cutOff,
            .connected, .requestLost, .responseLost, .abandoned:
            self.uncertain = self.consents
        case .delivered(let response, _): if response.status >= 500 { self.uncertain = self.consents }
        case .diskFails: self.begin(.disk(event.actor))
        case .diskWorks: self.end(.disk(event.actor))
        case .diskFilled: self.begin(.space(event.actor))
        case .diskCleared: self.end(.space(event.actor))
        case .keyringFails: self.begin(.keyring(event.actor))
        case .keyringWorks: self.end(.keyring(event.actor))
        case .databaseFails: self.begin(.connection)
        case .databaseWorks: self.end(.connection)
        case .databaseStopped: self.begin(.database)
        case .databaseStarted: self.end(.database)
        default: break
        }
    }

    /// Returns whether a refresh of a consent may have been interrupted at any time since `time`.
    func contains(_ consent: Int, since time: Int64) -> Bool {
        !self.faults.isEmpty || self.uncertain.contains(consent) || self.resolved[consent].map { $0 >= time } ?? false
    }

    private mutating func begin(_ fault: Fault) {
        self.faults.insert(fault)
        self.uncertain = self.consents
    }

    private mutating func end(_ fault: Fault) {
        if self.faults.remove(fault) != nil { self.uncertain = self.consents }
    }
}

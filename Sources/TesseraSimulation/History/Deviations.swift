// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The reasons why sessions at the third issuer can end.
struct Deviations: Sendable {
    /// How the responses of the issuer have differed from the usual ones.
    private var deviations: Set<SimulatedProvider.Deviation> = []
    /// The accounts whose records were saved without a key.
    private var unbound: Set<String> = []

    mutating func observe(_ action: SimulationEvent.Action) {
        switch action {
        case .deviates(let deviation, true): self.deviations.insert(deviation)
        case .keyRemoved(let subject): self.unbound.insert(subject)
        default: break
        }
    }

    /// Returns whether the session of an account can have ended for a reason.
    func explain(_ reason: String, _ subject: String) -> Bool {
        guard SimulatedIssuer(of: subject) == .work else { return false }
        return switch reason {
        case "identityChanged": self.deviations.contains(.otherUser)
        case "claimChanged": !self.deviations.isDisjoint(with: [.otherDomain, .tenantNumber])
        case "keyLost", "other": self.unbound.contains(subject)
        default: false
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The leases that processes have lost while they were running.
///
/// Until such a process acquires a lease on the account again, it may send a refresh at the same time as another
/// process, or send a refresh token that another process has replaced. Everything else remains promised.
struct LostLeases: Sendable {
    private var losers: [String: Set<ProcessID>] = [:]
    /// The accounts on which any process has ever lost a lease.
    private(set) var subjects: Set<String> = []

    /// Returns what happened if a process took a lease that had not expired.
    mutating func observe(_ event: SimulationEvent) -> String? {
        switch event.action {
        case .leaseTaken(let subject, _, _), .leaseLost(let subject, _): self.subjects.insert(subject)
        default: break
        }
        guard case .process(let process) = event.actor else {
            if case .leaseLost(let subject, let owner) = event.action {
                self.losers[subject, default: []].insert(owner)
            }
            return nil
        }
        switch event.action {
        case .leaseTaken(let subject, let owner, let isExpired):
            self.losers[subject, default: []].insert(owner)
            if !isExpired { return "process \(process) took the lease on \(subject) while process \(owner) had it" }
        case .leaseRegained(let subject): self.losers[subject]?.remove(process)
        default: break
        }
        return nil
    }

    /// Whether a process has lost its lease on an account.
    func contains(_ process: ProcessID, of subject: String) -> Bool {
        self.losers[subject]?.contains(process) == true
    }
}

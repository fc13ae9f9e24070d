// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The accounts whose records were saved in each store.
///
/// A record that was saved is found until it is removed, even after a power failure.
struct SavedRecords: Sendable {
    /// The accounts whose records are saved in each store.
    ///
    /// The value is the time since which the record has been saved.
    private var subjects: [String: [String: Int64]] = [:]
    /// The accounts whose records have been damaged in each store.
    private var damaged: [String: Set<String>] = [:]
    /// The accounts in each store since the beginning of an operation that lists them.
    private var listing: [Int: [String: [String: Int64]]] = [:]
    /// The time until which a save in each store may have taken effect before its keyring was reset.
    private var resets: [String: Int64] = [:]
    /// The accounts whose records may have been saved before their keyring was reset, and reported later.
    private var uncertain: [String: Set<String>] = [:]

    /// Observes an event, which code that waits for a thread can report later by `delay` nanoseconds.
    mutating func observe(_ event: SimulationEvent, delay: Int64) {
        switch event.action {
        case .saved(let tokens, let store):
            if event.time >= self.resets[store] ?? .min {
                if self.subjects[store]?[tokens.subject] == nil {
                    self.subjects[store, default: [:]][tokens.subject] = event.time
                }
                self.uncertain[store]?.remove(tokens.subject)
            } else {
                self.uncertain[store, default: []].insert(tokens.subject)
            }
        case .damaged(let subject, let store): self.damaged[store, default: []].insert(subject)
        case .keyringReset(let store):
            self.resets[store] = event.time + delay
            self.subjects[store] = nil
            for number in self.listing.keys { self.listing[number]?[store] = nil }
        case .removed(let subject, let store):
            self.subjects[store]?[subject] = nil
            for number in self.listing.keys { self.listing[number]?[store]?[subject] = nil }
        case .began(let number, let operation) where operation.kind == .accounts:
            self.listing[number] = self.subjects
        default: break
        }
    }

    /// Returns the accounts that an operation should have listed, except those that were removed meanwhile.
    func missing(_ names: [String], _ number: Int, in store: String) -> Set<String> {
        let listed = self.listing[number]?[store] ?? [:]
        return Set(listed.keys).subtracting(names).subtracting(self.damaged[store] ?? [])
    }

    /// Whether a record that was saved may have been removed when its keyring was reset.
    func mayBeReset(_ subject: String, in store: String) -> Bool { self.uncertain[store]?.contains(subject) == true }

    /// Whether a record was not found although it had been saved before it was loaded, or seems to be damaged.
    func haveLost(_ action: SimulationEvent.Action) -> Bool {
        guard case .notFound(let subject, let isDamaged, let store, let begunAt) = action else { return false }
        guard let savedAt = self.subjects[store]?[subject] else { return false }
        return isDamaged ? self.damaged[store]?.contains(subject) != true : savedAt <= begunAt
    }
}

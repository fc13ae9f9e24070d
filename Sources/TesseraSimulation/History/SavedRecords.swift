// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The accounts whose records were saved in each store.
///
/// A record that was saved is found until it is removed, even after a power failure.
struct SavedRecords: Sendable {
    private var subjects: [String: Set<String>] = [:]
    /// The accounts whose records have been damaged in each store.
    private var damaged: [String: Set<String>] = [:]
    /// The accounts in each store since the beginning of an operation that lists them.
    private var listing: [Int: [String: Set<String>]] = [:]

    mutating func observe(_ action: SimulationEvent.Action) {
        switch action {
        case .saved(let tokens, let store): self.subjects[store, default: []].insert(tokens.subject)
        case .damaged(let subject, let store): self.damaged[store, default: []].insert(subject)
        case .keyringReset(let store):
            self.subjects[store] = nil
            for number in self.listing.keys { self.listing[number]?[store] = nil }
        case .removed(let subject, let store):
            self.subjects[store]?.remove(subject)
            for number in self.listing.keys { self.listing[number]?[store]?.remove(subject) }
        case .began(let number, let operation) where operation.kind == .accounts:
            self.listing[number] = self.subjects
        default: break
        }
    }

    /// Returns the accounts that an operation should have listed, except those that were removed meanwhile.
    func missing(_ names: [String], _ number: Int, in store: String) -> Set<String> {
        (self.listing[number]?[store] ?? []).subtracting(names).subtracting(self.damaged[store] ?? [])
    }

    /// Whether the record of an account was saved, although none was found, or one that seems to be damaged.
    func haveLost(_ subject: String, isDamaged: Bool, in store: String) -> Bool {
        if isDamaged, self.damaged[store]?.contains(subject) == true { return false }
        return self.subjects[store]?.contains(subject) == true
    }
}

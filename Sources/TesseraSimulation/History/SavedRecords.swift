// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The accounts whose records were saved in each store.
///
/// A record that was saved is found until it is removed, even after a power failure.
struct SavedRecords: Sendable {
    private var subjects: [String: Set<String>] = [:]

    mutating func observe(_ action: SimulationEvent.Action) {
        switch action {
        case .saved(let tokens, let store): self.subjects[store, default: []].insert(tokens.subject)
        case .keyringReset(let store): self.subjects[store] = nil
        case .removed(let subject, let store): self.subjects[store]?.remove(subject)
        default: break
        }
    }

    /// Whether the record of an account was saved.
    func contain(_ subject: String, in store: String) -> Bool { self.subjects[store]?.contains(subject) == true }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Checks that the record of a newer consent is not replaced by that of an earlier one.
///
/// Consents can be saved in a different order than they were given, but no record of a consent may be saved after another
/// consent has replaced it in the same store.
struct SupersededConsents: Sendable {
    private struct Key: Hashable {
        let store: String
        let subject: String
    }

    /// The consent of the last saved record.
    private var latest: [Key: Int] = [:]
    /// The consents whose records were replaced by that of another consent.
    private var superseded: [Key: Set<Int>] = [:]

    /// Returns how an event violates the promise, or nil.
    mutating func observe(_ action: SimulationEvent.Action) -> String? {
        guard case .saved(let tokens, let store) = action, let refresh = tokens.refresh else { return nil }
        let key = Key(store: store, subject: tokens.subject)
        if self.superseded[key]?.contains(refresh.consent) == true {
            return "\(refresh) was saved after the record of its consent had been replaced by that of another consent"
        }
        if let replaced = self.latest.updateValue(refresh.consent, forKey: key), replaced != refresh.consent {
            self.superseded[key, default: []].insert(replaced)
        }
        return nil
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The order in which the tokens of each consent are saved.
///
/// A record is never replaced by an older one, even if its process has lost a lease or does not know whether an earlier
/// save was committed.
struct RecordOrder: Sendable {
    /// The newest tokens in each store and account, unless the session has ended.
    private var newest: [String: [String: SavedTokens]] = [:]

    /// Returns what happened if older tokens replaced newer ones.
    mutating func observe(_ action: SimulationEvent.Action) -> String? {
        switch action {
        case .saved(let tokens, let store):
            let former = self.newest[store]?[tokens.subject]
            self.newest[store, default: [:]][tokens.subject] = tokens.refresh == nil ? nil : tokens
            guard let former, let old = Self.numbers(former), let new = Self.numbers(tokens),
                old.consent == new.consent,
                (new.refresh, new.access) < (old.refresh, old.access)
            else { return nil }
            return "\(tokens.text) was saved over the newer \(former.text)"
        case .found(let tokens, let store) where tokens.refresh == nil: self.newest[store]?[tokens.subject] = nil
        case .removed(let subject, let store): self.newest[store]?[subject] = nil
        default: break
        }
        return nil
    }

    /// Whether the newest record of an account has tokens of a consent.
    func hasOpenRecord(of subject: String, _ consent: Int, in store: String) -> Bool {
        self.newest[store]?[subject]?.refresh?.consent == consent
    }

    private static func numbers(_ tokens: SavedTokens) -> (consent: Int, refresh: Int, access: Int)? {
        guard let refresh = tokens.refresh, let access = tokens.access else { return nil }
        return (refresh.consent, refresh.number, access.number)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The order in which the tokens of each consent are saved.
///
/// A record is never replaced by an older one, even if its process has lost a lease or does not know whether an earlier
/// save was committed.
struct RecordOrder: Sendable {
    /// The newest tokens in each store and account, unless the session has ended.
    private var newest: [String: [String: SavedTokens]] = [:]
    /// The access tokens that a consent produced without a refresh token, which replace those of refreshes.
    private var consented: Set<SimulatedToken> = []

    /// Returns what happened if older tokens replaced newer ones.
    mutating func observe(_ action: SimulationEvent.Action) -> String? {
        switch action {
        case .exchanged(nil, let access, _, _): self.consented.insert(access)
        case .saved(let tokens, let store):
            let former = self.newest[store]?[tokens.subject]
            self.newest[store, default: [:]][tokens.subject] = tokens.refresh == nil ? nil : tokens
            guard let former, let old = self.numbers(former), let new = self.numbers(tokens),
                old.consent == new.consent,
                (new.refresh, new.access ?? .max) < (old.refresh, old.access ?? 0)
            else { return nil }
            return "\(tokens.text) was saved over the newer \(former.text)"
        case .found(let tokens, let store) where tokens.refresh == nil: self.newest[store]?[tokens.subject] = nil
        case .keyringReset(let store): self.newest[store] = nil
        case .removed(let subject, let store): self.newest[store]?[subject] = nil
        default: break
        }
        return nil
    }

    /// Returns the refresh token in the newest record of an account, or nil if its session has ended.
    func newestToken(of subject: String, in store: String) -> SimulatedToken? { self.newest[store]?[subject]?.refresh }

    private func numbers(_ tokens: SavedTokens) -> (consent: Int, refresh: Int, access: Int?)? {
        guard let refresh = tokens.refresh, let access = tokens.access else { return nil }
        return (refresh.consent, refresh.number, self.consented.contains(access) ? nil : access.number)
    }
}

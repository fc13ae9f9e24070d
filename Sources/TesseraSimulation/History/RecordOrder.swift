// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The order in which the tokens of each consent are saved.
///
/// A record is never replaced by an older one, even if its process has lost a lease or does not know whether an earlier
/// save was committed.
struct RecordOrder: Sendable {
    /// The newest tokens in each store and account, unless the session has ended.
    private var newest: [String: [String: SavedTokens]] = [:]
    /// The access tokens that processes have found, which another process can report later as saved.
    private var found: [Found] = []
    /// The access tokens that a consent produced without a refresh token, which replace those of refreshes.
    private var consented: Set<SimulatedToken> = []

    private struct Found {
        let access: SimulatedToken
        let store: String
        let actor: SimulationEvent.Actor
        let time: Int64
    }

    /// Returns what happened if older tokens replaced newer ones.
    ///
    /// Code that waits for a thread can report a save later by `delay` nanoseconds.
    mutating func observe(_ event: SimulationEvent, delay: Int64) -> String? {
        switch event.action {
        case .exchanged(nil, let access, _, _): self.consented.insert(access)
        case .saved(let tokens, let store):
            let former = self.newest[store]?[tokens.subject]
            let isOlder = former.map { self.isOlder(tokens, than: $0) } ?? false
            // The newer tokens have replaced these ones, and not the other way around.
            if isOlder, self.isLate(tokens, store, event, delay) { return nil }
            self.newest[store, default: [:]][tokens.subject] = tokens.refresh == nil ? nil : tokens
            return isOlder ? "\(tokens.text) was saved over the newer \(former?.text ?? "")" : nil
        case .found(let tokens, let store):
            if tokens.refresh == nil { self.newest[store]?[tokens.subject] = nil }
            guard delay > 0, let access = tokens.access else { return nil }
            self.found.removeAll { $0.time + delay < event.time }
            self.found.append(Found(access: access, store: store, actor: event.actor, time: event.time))
        case .keyringReset(let store): self.newest[store] = nil
        case .removed(let subject, let store): self.newest[store]?[subject] = nil
        default: break
        }
        return nil
    }

    private func isOlder(_ tokens: SavedTokens, than former: SavedTokens) -> Bool {
        guard let old = self.numbers(former), let new = self.numbers(tokens), old.consent == new.consent else {
            return false
        }
        return (new.refresh, new.access ?? .max) < (old.refresh, old.access ?? 0)
    }

    /// Whether only other processes have found the tokens, so that they were saved before their save was reported.
    private func isLate(_ tokens: SavedTokens, _ store: String, _ event: SimulationEvent, _ delay: Int64) -> Bool {
        let found = self.found.filter {
            $0.access == tokens.access && $0.store == store && $0.time + delay >= event.time
        }
        return !found.isEmpty && found.allSatisfy { $0.actor != event.actor }
    }

    /// Returns the refresh token in the newest record of an account, or nil if its session has ended.
    func newestToken(of subject: String, in store: String) -> SimulatedToken? { self.newest[store]?[subject]?.refresh }

    private func numbers(_ tokens: SavedTokens) -> (consent: Int, refresh: Int, access: Int?)? {
        guard let refresh = tokens.refresh, let access = tokens.access else { return nil }
        return (refresh.consent, refresh.number, self.consented.contains(access) ? nil : access.number)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension InvariantChecker {
    /// The known facts about a consent, which one session or several in separate stores may use.
    struct Consent: Sendable {
        var isRevoked = false
        /// The refresh tokens that the provider issued, and whether each of them was saved.
        var issued: [SimulatedToken: Bool] = [:]
        var access: [SimulatedToken: Access] = [:]
        /// The refresh tokens that were replaced by another one that was delivered, for each process.
        var known: [ProcessID: Set<SimulatedToken>] = [:]
        /// The refresh tokens that were replaced by another one that was saved, for each store.
        var replaced: [String: Set<SimulatedToken>] = [:]
        /// The stores from which the session was removed.
        var removed: Set<String> = []
        /// The stores in which the record of another consent has replaced that of this one.
        var superseded: Set<String> = []
        /// The disconnections that were in progress when the session was removed by their process.
        var removedBy: Set<Int> = []

        /// The access tokens of consents that did not produce a refresh token, so that the session retained its own.
        var repeated: Set<SimulatedToken> = []
        /// The last time at which one of these tokens was saved or first found.
        var repeatedAt: Int64?
        private var lastRepeated: SimulatedToken?
        /// The last time at which a refresh token was issued and not saved.
        var interruptedUntil: Int64?

        /// Notes that an access token was saved, or found although its save had failed.
        mutating func noteRepetition(of token: SimulatedToken, at time: Int64) {
            guard self.repeated.contains(token), token != self.lastRepeated else { return }
            (self.lastRepeated, self.repeatedAt) = (token, time)
        }

        /// Whether a store may have a record of the consent, which a process can report late if threads are busy.
        func mayBeIn(_ store: String) -> Bool { !self.removed.contains(store) && !self.superseded.contains(store) }

        /// Whether a refresh token was issued and never saved, so that an interruption explains a rejection.
        var wasInterrupted: Bool { self.issued.contains { !$0.value } }

        /// Returns whether a refresh token was issued and not saved at any time since `time`.
        func wasInterrupted(since time: Int64) -> Bool {
            self.wasInterrupted || self.interruptedUntil.map { $0 >= time } ?? false
        }
    }

    struct Access: Sendable {
        /// The request that obtained the token.
        let request: Int
        let expiresAt: Int64
        /// The process that received the token, and when.
        var arrival: (process: ProcessID, time: Int64)?
    }
}

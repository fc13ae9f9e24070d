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
        /// The last time at which one of these tokens was saved.
        var repeatedAt: Int64?
        /// The last time at which a refresh token was issued and not saved.
        var interruptedUntil: Int64?

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

    /// A token request on the wire.
    struct Exchange: Sendable {
        /// The time limit of a token request, and the longest time after it at which its timer fires, in nanoseconds.
        private static let (limit, tolerance): (Int64, Int64) = (60_000_000_000, 500_000_000)

        let process: ProcessID
        let request: SimulationEvent.Request
        let sentAt: Int64
        /// Whether the process has released the account's lock because it is an app that is about to be suspended.
        var isReleased = false

        /// Returns whether the time limit may pass before a response is read that arrives at `time`, because threads are
        /// busy for up to `delay` nanoseconds.
        func mayEnd(at time: Int64, delay: Int64) -> Bool {
            delay > 0 && (Self.limit - delay...Self.limit + Self.tolerance).contains(time - self.sentAt)
        }
    }
}

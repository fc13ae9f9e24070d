// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraSupport

/// The accounts whose records this process is removing.
final class PendingRemovals: Sendable {
    /// The pending removal of an account's record.
    final class Removal: Sendable {
        private struct State {
            /// Whether the user has consented again, in this process, since the removal began.
            var isOvertaken = false
            /// The consent that the stored record belonged to, or nil if it is unknown.
            var known: Consent?
        }

        /// The consent that a stored record belongs to.
        private struct Consent: Equatable {
            /// The time of the consent, or nil if there is no record.
            let date: Date?

            init(_ record: SessionRecord?) { self.date = record?.history.consentedAt }
        }

        let account: Account
        /// The consent of the session in memory, or nil if no session is in use.
        private let own: Consent?
        private let state = Mutex(State())

        fileprivate init(_ account: Account, ending session: OAuthSession?) {
            self.account = account
            self.own = session.map { Consent($0.record) }
        }

        var isOvertaken: Bool { self.state.withLock { $0.isOvertaken } }

        fileprivate func overtake() { self.state.withLock { $0.isOvertaken = true } }

        /// Notes which consent the stored record belongs to, before the account is locked.
        ///
        /// If the store has lost the record, a refresh in another process can save it again. Further calls have no effect,
        /// because the record may then belong to a new consent.
        func inspect(_ store: any SessionStore) async {
            guard self.state.withLock({ $0.known == nil }),
                let stored = try? await Consent(store.load(self.account))
            else { return }
            self.state.withLock { $0.known = stored.date == nil ? self.own ?? stored : stored }
        }

        /// Returns whether a record must not be removed, because the user has consented again, in this process or in
        /// another one.
        ///
        /// The record is nil if there is none or it cannot be read.
        func spares(_ record: SessionRecord?) -> Bool {
            self.state.withLock { state in
                guard !state.isOvertaken else { return true }
                guard let known = state.known, let record else { return false }
                return Consent(record) != known
            }
        }
    }

    private struct State {
        var pending: [Removal] = []
        /// The number of beginnings and ends of removals.
        var changes = 0
    }

    private let state = Mutex(State())

    /// Begins a removal and ends the account's session.
    ///
    /// Both steps are atomic, so that a consent takes effect either before or after them. The caller must call
    /// ``end(_:)`` once.
    func begin(of account: Account, ending session: OAuthSession?) -> Removal {
        let removal = Removal(account, ending: session)
        self.state.withLock { state in
            state.pending.append(removal)
            state.changes += 1
            session?.end(SessionEndedError(.signedOut))
        }
        return removal
    }

    /// Ends a removal.
    func end(_ removal: Removal) {
        self.state.withLock { state in
            state.pending.removeAll { $0 === removal }
            state.changes += 1
        }
    }

    /// The number of beginnings and ends of removals, which changes if a record that is being read may be removed.
    var changes: Int { self.state.withLock { $0.changes } }

    /// Returns the number of beginnings and ends of removals, or nil if an account's record is being removed.
    func changes(unlessRemoving account: Account) -> Int? {
        self.state.withLock { state in
            state.pending.contains { $0.account == account && !$0.isOvertaken } ? nil : state.changes
        }
    }

    /// Protects the record of a new consent from removals that began earlier.
    ///
    /// Call this while the account is locked.
    func overtake(_ account: Account) {
        self.state.withLock { state in
            for removal in state.pending where removal.account == account { removal.overtake() }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The accounts whose records this process is removing.
final class PendingRemovals: Sendable {
    /// The pending removal of an account's record.
    final class Removal: Sendable {
        let account: Account
        /// Whether the user has consented again since the removal began.
        private let overtaken = Mutex(false)

        fileprivate init(_ account: Account) { self.account = account }

        var isOvertaken: Bool { self.overtaken.withLock { $0 } }

        fileprivate func overtake() { self.overtaken.withLock { $0 = true } }
    }

    private struct State {
        var pending: [Removal] = []
        /// The number of removals that have begun.
        var count = 0
    }

    private let state = Mutex(State())

    /// Begins a removal and ends the account's session.
    ///
    /// Both steps are atomic, so that a consent takes effect either before or after them. The caller must call
    /// ``end(_:)`` once.
    func begin(of account: Account, ending session: OAuthSession?) -> Removal {
        let removal = Removal(account)
        self.state.withLock { state in
            state.pending.append(removal)
            state.count += 1
            session?.end(SessionEndedError(.signedOut))
        }
        return removal
    }

    /// Ends a removal.
    func end(_ removal: Removal) { self.state.withLock { $0.pending.removeAll { $0 === removal } } }

    /// The number of removals that have begun, which changes if a record that is being read may be removed.
    var count: Int { self.state.withLock { $0.count } }

    /// Returns whether an account's record is being removed.
    func contain(_ account: Account) -> Bool {
        self.state.withLock { state in state.pending.contains { $0.account == account && !$0.isOvertaken } }
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

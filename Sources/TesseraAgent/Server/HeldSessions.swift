// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera

/// The sessions that the agent has in memory, one per account: all who ask at the same time share its refresh.
final class HeldSessions: Sendable {
    /// A session, and its tokens for fewer scopes.
    struct Held: Sendable {
        fileprivate let signIn: SignIn
        let session: OAuthSession
        let narrowed: NarrowedTokens

        fileprivate init(_ signIn: SignIn, _ session: OAuthSession) {
            self.signIn = signIn
            self.session = session
            self.narrowed = NarrowedTokens(session)
        }
    }

    private let accounts: any AgentAccounts
    private let byAccount = Mutex<[Account: Held]>([:])

    init(_ accounts: any AgentAccounts) { self.accounts = accounts }

    /// The session of a record that was read just now; a consent that another program obtained counts at once.
    func session(of record: SessionRecord) -> Held {
        let known = self.byAccount.withLock { $0[record.account] }
        if let known, known.session.ended == nil {
            guard known.session.record.history.consentedAt < record.history.consentedAt else { return known }
            return self.hold(Held(known.signIn, known.signIn.session(record, isNewConsent: true)), insteadOf: known)
        }
        let signIn = self.accounts.signIn(for: record)
        return self.hold(Held(signIn, signIn.session(record)), insteadOf: known)
    }

    private func hold(_ held: Held, insteadOf known: Held?) -> Held {
        self.byAccount.withLock { byAccount in
            // Somebody who asked at the same moment may have been first.
            if let other = byAccount[held.session.account], other.narrowed !== known?.narrowed { return other }
            byAccount[held.session.account] = held
            return held
        }
    }

    /// Lets go of everything but these accounts.
    func keep(only accounts: [Account]) {
        let kept = Set(accounts)
        self.byAccount.withLock { $0 = $0.filter { kept.contains($0.key) } }
    }

    /// Waits until every refresh that is under way is saved.
    func settle() async {
        for held in self.byAccount.withLock({ Array($0.values) }) {
            await held.session.settle()
            await held.narrowed.settle()
        }
    }
}

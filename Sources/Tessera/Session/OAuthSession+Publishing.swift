// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraOAuth

extension OAuthSession {
    /// Shows saved tokens to everybody; unless the session ended meanwhile, which nothing resurrects.
    func publish(_ change: Change) throws -> AccessToken {
        guard let current = CurrentToken(change.record, self.connection) else { throw SessionEndedError(.other) }
        let record = self.connection.sharing(change.record)
        try self.state.withLock { state in
            if let ended = state.ended { throw ended }
            let grantChanged = state.record.grant.granted != change.record.grant.granted
            state.record = record
            let isRefreshed = if case .refreshed = change.event { true } else { false }
            self.cache.publish(current, isReplacement: isRefreshed)
            // Events are sent under this lock, so that they come in the order in which things happened.
            if let event = change.event { self.eventHub.send(event) }
            if grantChanged { self.eventHub.send(.grantChanged(change.record.grant)) }
        }
        return current.token
    }

    /// Makes claims required, which the stored record requires already.
    func require(_ claims: [String: String]) {
        guard !claims.isEmpty else { return }
        self.state.withLock { $0.record.requiredClaims.merge(claims) { $1 } }
    }

    /// A new consent for the same account took effect: the session goes on with it, also after an end.
    func replace(_ record: SessionRecord) {
        let record = self.connection.sharing(record)
        let current = CurrentToken(record, self.connection)
        self.state.withLock { state in
            state = State(record: record)
            self.cache.publish(current)
            self.eventHub.reopen()
            self.eventHub.send(.grantChanged(record.grant))
        }
    }

    /// The end, said once.
    func end(_ end: SessionEndedError) {
        self.state.withLock { state in
            guard state.ended == nil else { return }
            state.ended = end
            state.record.tokens = nil
            self.cache.publish(nil)
            self.eventHub.send(.ended(end))
        }
    }
}

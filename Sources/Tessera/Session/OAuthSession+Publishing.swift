// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Synchronization
internal import TesseraOAuth

extension OAuthSession {
    /// Shows saved tokens to everybody; unless the session ended meanwhile, which nothing resurrects.
    func publish(_ change: Change) throws -> AccessToken {
        guard let tokens = change.record.tokens else { throw SessionEnded(.other) }
        let current = self.currentToken(tokens)
        let (ended, grantChanged) = self.state.withLock { state -> (SessionEnded?, Bool) in
            if let ended = state.ended { return (ended, false) }
            let grantChanged = state.record.grant.granted != change.record.grant.granted
            state.record = change.record
            state.backgroundFrom = .min
            state.backgroundDelay = 0
            self.current.withLock { $0 = current }
            return (nil, grantChanged)
        }
        if let ended { throw ended }
        self.eventHub.send(change.event)
        if grantChanged { self.eventHub.send(.grantChanged(change.record.grant)) }
        return current.token
    }

    /// A new consent for the same account took effect: the session goes on with it, also after an end.
    func replace(_ record: SessionRecord) {
        let current = record.tokens.map { self.currentToken($0) }
        self.state.withLock { state in
            state.record = record
            state.unsaved = nil
            state.ended = nil
            self.current.withLock { $0 = current }
        }
        self.eventHub.send(.grantChanged(record.grant))
    }

    /// The end, said once.
    func end(_ end: SessionEnded) {
        let isFirst = self.state.withLock { state in
            guard state.ended == nil else { return false }
            state.ended = end
            state.record.tokens = nil
            state.unsaved = nil
            self.current.withLock { $0 = nil }
            return true
        }
        if isFirst { self.eventHub.send(.ended(end)) }
    }
}

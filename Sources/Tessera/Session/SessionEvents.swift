// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// An event of a session, as delivered by ``OAuthSession/events()``.
public enum SessionEvent: Sendable {
    /// This process refreshed and saved the tokens.
    case refreshed
    /// This process uses tokens that another process refreshed.
    case adopted
    /// The granted scopes changed.
    case scopesChanged(GrantedScopes)
    /// A refresh failed, but the session is still active.
    case refreshFailed(any Error)
    /// The session ended. No further events follow.
    case ended(SessionEndedError)
}

/// Delivers events to all listeners through separate streams, each of which buffers the latest 16 events.
final class SessionEvents: Sendable {
    private struct State {
        var nextID = 0
        var listeners: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    deinit {
        for listener in self.state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }

    func stream() -> AsyncStream<SessionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self,
            bufferingPolicy: .bufferingNewest(16)
        )
        let id = self.state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.listeners[state.nextID] = continuation
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    func send(_ event: SessionEvent) {
        let isLast = if case .ended = event { true } else { false }
        let listeners = self.state.withLock { state in
            defer {
                if isLast {
                    state.isFinished = true
                    state.listeners = [:]
                }
            }
            return Array(state.listeners.values)
        }
        for listener in listeners {
            listener.yield(event)
            if isLast { listener.finish() }
        }
    }

    /// Accepts new listeners again after the session has ended.
    func reopen() { self.state.withLock { $0.isFinished = false } }
}

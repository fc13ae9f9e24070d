// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// Something that happened to a session; see ``OAuthSession/events()``.
public enum SessionEvent: Sendable {
    /// This process refreshed the tokens; they are saved.
    case refreshed
    /// Another process had refreshed them; this one took them over.
    case adopted
    /// The grant changed: more scopes, or fewer.
    case grantChanged(Grant)
    /// A refresh failed and the session lives on.
    case refreshFailed(any Error)
    /// The session is over; the last event.
    case ended(SessionEndedError)
}

/// Hands events to everybody who listens, to each through a stream of its own that keeps the newest 16.
final class SessionEvents: Sendable {
    private struct State {
        var nextID = 0
        var listeners: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

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

    /// A session that had ended lives again, for new listeners.
    func reopen() { self.state.withLock { $0.isFinished = false } }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

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

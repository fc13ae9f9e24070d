// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A promise of the library that a simulation checks after each event.
public enum Invariant: String, Sendable, Hashable, CaseIterable {
    /// An access token that a caller receives was saved before, and not only as an expired one.
    ///
    /// A token is saved as an expired one until its ID token has been checked, and if the ID token is not valid.
    case tokenWasSaved
    /// At most one refresh of a session is on the wire among all processes that share its store.
    case oneRefreshOnTheWire
    /// A usable refresh token is not lost. If the provider replaced it and the response was not saved, the session
    /// reports `interrupted` and nothing else.
    ///
    /// A new refresh token is saved before the provider's keys are fetched to check the ID token.
    case usableTokenIsNotLost
    /// A session does not end because of a transient failure.
    case transientFailureEndsNoSession
    /// A session that was revoked or signed out does not return.
    case endedSessionDoesNotReturn
    /// An account's tokens never appear in another account's session, and a store never returns another account's
    /// record.
    case accountsAreSeparate
    /// Every operation ends within a bound after the faults have stopped.
    ///
    /// An API call receives its own complete response. No more calls to a host run at once than its limit permits.
    case everyWaiterGetsAResult
    /// A token is never sent to an origin that is not authorized, and is not part of an error's text.
    case onlyAuthorizedOrigins
    /// Each upload arrives complete, exactly once, in pieces of the sizes that the API requires.
    case uploadArrivesOnce
    /// An access token that a process obtained is not returned to later callers in the process after it has expired.
    case expiredTokenIsNotReturned
    /// A refresh token is not sent after its replacement has arrived or was saved.
    case replacedTokenIsNotSent
    /// A process takes the lease of another one only after it has expired.
    case leaseIsExclusive
    /// A record is not replaced by an older one.
    case newerRecordIsNotReplaced
    /// After an API has rejected a token, the process looks for another one before the call returns, and refreshes
    /// only once.
    case rejectedTokenIsReplacedOnce
    /// An app that is suspended holds no lock, and its activities end when their time has run out.
    case suspendedAppHoldsNothing
}

/// A broken promise, with the event that showed it.
public struct InvariantViolation: Error, Sendable, Hashable {
    /// The promise.
    public let invariant: Invariant
    /// What happened, in a sentence.
    public let detail: String
    /// The number of the event that showed the violation.
    public let event: Int
}

extension InvariantViolation: CustomStringConvertible {
    /// The name of the invariant and what happened.
    public var description: String { "\(self.invariant.rawValue): \(self.detail)" }
}

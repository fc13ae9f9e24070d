// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Hears that a state has changed, so that the program can keep it.
public protocol OIDAuthStateChangeDelegate: AnyObject, Sendable {
    /// The state has changed; called by whoever changed it, on any thread.
    func didChange(_ state: OIDAuthState)
}

/// Hears of what went wrong with a state.
public protocol OIDAuthStateErrorDelegate: AnyObject, Sendable {
    /// The authorization is over: the person has to sign in again.
    func authState(_ state: OIDAuthState, didEncounterAuthorizationError error: any Error)

    /// Something failed that may pass; the authorization goes on.
    func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error)
}

extension OIDAuthStateErrorDelegate {
    /// Nothing, for delegates that do not care.
    public func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error) {}
}

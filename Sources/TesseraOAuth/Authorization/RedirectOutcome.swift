// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE

/// What ``PendingAuthorization/receive(_:uptime:)`` made of a redirect that did not end the attempt with an error.
public enum RedirectOutcome: Sendable {
    /// Not the answer to this attempt, or a forgery: the attempt goes on. The violation says why.
    case notOurs(ProtocolViolation)
    /// The answer, with its code.
    case response(AuthorizationResponse)
}

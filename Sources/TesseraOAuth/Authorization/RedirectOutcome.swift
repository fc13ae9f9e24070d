// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE

/// What ``PendingAuthorization/receive(_:uptime:)-(DeliveredResponse,_)`` made of an answer that did not end the attempt
/// with an error.
///
/// - SeeAlso: [RFC 6749, section 10.12](https://www.rfc-editor.org/rfc/rfc6749.html#section-10.12)
public enum RedirectOutcome: Sendable {
    /// Not the answer to this attempt, or a forgery: the attempt goes on. The violation says why.
    case notOurs(ProtocolViolation)
    /// The answer, with its code.
    case response(AuthorizationResponse)
    /// The answer, whose signature has to be checked before there is a code.
    case unverified(UnverifiedAuthorizationResponse)
}

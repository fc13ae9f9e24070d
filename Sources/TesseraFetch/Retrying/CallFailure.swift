// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A call that failed, as a ``RetryPolicy`` sees it.
public struct CallFailure: Sendable {
    /// How it failed.
    public enum Outcome: Sendable {
        /// With a status of 400 or more; the body is there where the policy wanted to read it.
        case response(HTTPResponse, body: [UInt8]?)
        /// Without an answer, or with one that broke off.
        case transport(TransportError)
        /// Before anything was sent: no token could be had.
        case token(any Error)
    }

    /// The call, without the token.
    public let request: HTTPRequest
    /// How it failed.
    public let outcome: Outcome
    /// Whether the call may be made twice without harm.
    public let isIdempotent: Bool
    /// When.
    public let date: Date

    /// A failure, for tests of a policy.
    public init(request: HTTPRequest, outcome: Outcome, isIdempotent: Bool, date: Date) {
        self.request = request
        self.outcome = outcome
        self.isIdempotent = isIdempotent
        self.date = date
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
public import TesseraJSON

/// An error that answers three questions: whether it ends the session, whether a retry can succeed, and what to do.
///
/// `recoverySuggestion` is an instruction for the user or the developer. `errorDescription` is the error's description.
/// Neither contains a secret.
public protocol ErrorGuidance: LocalizedError, CustomStringConvertible {
    /// Whether the user has to sign in again. Defaults to false.
    var endsSession: Bool { get }
    /// Whether the same call may succeed later without a change by the caller. Defaults to false.
    var isRetryable: Bool { get }
    /// An instruction for the user or the developer. Defaults to nil.
    ///
    /// It is declared again, because a caller that does not import Foundation cannot see `LocalizedError`'s declaration,
    /// and would get the default.
    var recoverySuggestion: String? { get }
    /// The error's description, which is the default.
    var errorDescription: String? { get }
}

extension ErrorGuidance {
    /// False.
    public var endsSession: Bool { false }
    /// False.
    public var isRetryable: Bool { false }
    /// The error's description.
    public var errorDescription: String? { self.description }
    /// Nil.
    public var recoverySuggestion: String? { nil }
    /// Nil.
    public var failureReason: String? { nil }
    /// Nil.
    public var helpAnchor: String? { nil }
}

extension JSONError: ErrorGuidance {}
extension JWSSigningKeyError: ErrorGuidance {
    /// An instruction for the developer.
    public var recoverySuggestion: String? {
        "Use an unencrypted PKCS #8 key, of a size and type that the signature algorithm accepts."
    }
}

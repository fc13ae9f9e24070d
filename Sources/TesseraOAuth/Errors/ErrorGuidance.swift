// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
public import TesseraJSON

/// An error that indicates whether it ends the session, whether a retry can succeed, and how to recover.
///
/// `recoverySuggestion` is an instruction for the user or the developer, and `errorDescription` describes the error.
/// Neither contains a secret.
public protocol ErrorGuidance: LocalizedError, CustomStringConvertible {
    /// Whether the user has to sign in again. Defaults to false.
    var endsSession: Bool { get }
    /// Whether the same call may succeed later without any change. Defaults to false.
    var isRetryable: Bool { get }
    /// An instruction for the user or the developer. Defaults to nil.
    ///
    /// This requirement repeats one in `LocalizedError`. A caller that does not import Foundation cannot see that
    /// requirement and would get the default.
    var recoverySuggestion: String? { get }
    /// The description of the error. Defaults to `description`.
    var errorDescription: String? { get }
}

extension ErrorGuidance {
    /// The default implementation, which returns false.
    public var endsSession: Bool { false }
    /// The default implementation, which returns false.
    public var isRetryable: Bool { false }
    /// The default implementation, which returns `description`.
    public var errorDescription: String? { self.description }
    /// The default implementation, which returns nil.
    public var recoverySuggestion: String? { nil }
    /// The default implementation, which returns nil.
    public var failureReason: String? { nil }
    /// The default implementation, which returns nil.
    public var helpAnchor: String? { nil }
}

extension JSONError: ErrorGuidance {}
extension JWSSigningKeyError: ErrorGuidance {
    /// An instruction for the developer.
    public var recoverySuggestion: String? {
        "Use an unencrypted PKCS #8 key of a type and size that the signature algorithm supports."
    }
}

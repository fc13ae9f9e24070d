// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraOAuth

/// An error that indicates that the session has ended and the user has to sign in again.
///
/// If the provider rejected the session, ``findings`` explain possible causes. They are based on the session's history,
/// and no request is sent to determine them.
public struct SessionEndedError: ErrorGuidance, Sendable, Hashable {
    /// The reason the session ended.
    public let code: Code
    /// The provider's error, or nil if the provider did not end the session.
    public let cause: OAuthError?
    /// The possible causes, most likely first, or an empty array if ``code`` is a sufficient explanation.
    public let findings: [Finding]

    /// Creates an error with a reason, a cause and findings.
    public init(_ code: Code, cause: OAuthError? = nil, findings: [Finding] = []) {
        self.code = code
        self.cause = cause
        self.findings = findings
    }

    /// Creates an error that describes and explains why a record's session ended.
    ///
    /// - Parameters:
    ///   - record: The record of the ended session.
    ///   - policy: The provider's policy, or nil to use the policy of the record's provider.
    ///   - now: The current wall-clock time.
    public init(of record: SessionRecord, policy: RefreshTokenPolicy? = nil, now: Date) {
        let history = record.history
        self.init(
            .named(history.endReason),
            cause: history.refusal,
            findings: Diagnosis(of: record, policy: policy, now: now).findings
        )
    }

    /// Always true.
    public var endsSession: Bool { true }
    /// A one-line description of the reason and, if it is more than a possibility, the first finding.
    public var description: String {
        let words = self.cause?.serverDescription.map { ": " + UntrustedText.printable($0) } ?? ""
        let sentence = "The session ended: \(self.code.sentence)\(words)"
        return self.explanation.map {
            "\(sentence)\(sentence.hasSuffix(".") ? "" : ".") \($0.certainty.prefix)\($0.cause)"
        } ?? sentence
    }
    /// A suggested next step for the user or the developer.
    public var recoverySuggestion: String? { self.explanation?.fix ?? "Sign in again." }

    /// The first finding, or nil if it is only a possibility.
    public var explanation: Finding? { self.findings.first.flatMap { $0.certainty > .possible ? $0 : nil } }

    /// A reason why a session ended.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code.
        public let description: String
        let sentence: String

        /// The user signed out in this or another process.
        public static let signedOut = Self(description: "signedOut", sentence: "the user signed out")
        /// The provider reported that the user signed out there.
        public static let loggedOut = Self(description: "loggedOut", sentence: "the user signed out at the provider")
        /// The provider rejected the refresh token.
        public static let refused = Self(
            description: "refused",
            sentence: "the provider rejected the refresh token"
        )
        /// The provider rejected the refresh token, and another refresh with it, in this process or another one, was
        /// interrupted before its response was saved.
        public static let interrupted = Self(
            description: "interrupted",
            sentence: "a refresh was interrupted, and the provider rejected the old refresh token"
        )
        /// The access token has expired, and there is no refresh token.
        public static let expired = Self(
            description: "expired",
            sentence: "the access token expired, and the provider issued no refresh token"
        )
        /// A refresh returned an ID token for a different user, client or sign-in.
        public static let identityChanged = Self(
            description: "identityChanged",
            sentence: "the provider returned tokens for a different user or sign-in"
        )
        /// A refresh returned an ID token with a different value for a claim that the app requires, such as the
        /// account's domain.
        public static let claimChanged = Self(
            description: "claimChanged",
            sentence: "the account no longer has a claim value that this program requires"
        )
        /// The tokens cannot be used, because they are bound to a key that the record does not contain.
        public static let keyLost = Self(
            description: "keyLost",
            sentence: "the key that the tokens are bound to is missing"
        )
        /// The record contains no reason, or one that this version does not recognize.
        public static let other = Self(description: "other", sentence: "the reason is unknown")

        static let all: [Self] = [
            .signedOut, .loggedOut, .refused, .interrupted, .expired, .identityChanged, .claimChanged, .keyLost,
        ]
        /// Whether the provider rejected the refresh token.
        public var isRefusal: Bool { [.refused, .interrupted].contains(self) }

        static func named(_ name: String?) -> Self { Self.all.first { $0.description == name } ?? .other }

        /// Returns whether an error is a ``SessionEndedError`` with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? SessionEndedError)?.code == pattern
        }
    }
}

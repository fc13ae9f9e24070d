// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraOAuth

/// The session is over: a person has to sign in again.
///
/// Where the provider refused it, ``findings`` say what explains that, from the session's own history: nothing is asked
/// for them.
public struct SessionEndedError: ErrorGuidance, Sendable, Hashable {
    /// Why.
    public let code: Code
    /// What the provider said, where it did.
    public let cause: OAuthError?
    /// What explains it, the likeliest first; empty where ``code`` says everything.
    public let findings: [Finding]

    /// An end.
    public init(_ code: Code, cause: OAuthError? = nil, findings: [Finding] = []) {
        self.code = code
        self.cause = cause
        self.findings = findings
    }

    /// The end that a record tells of, explained.
    ///
    /// - Parameters:
    ///   - record: the session, which is over.
    ///   - rules: the provider's rules; those of the record's provider unless given.
    ///   - now: the moment, by the wall clock.
    public init(of record: SessionRecord, rules: GrantRules? = nil, now: Date) {
        let history = record.history
        self.init(
            .named(history.endReason),
            cause: history.refusal,
            findings: Diagnosis(of: record, rules: rules, now: now).findings
        )
    }

    /// Always true.
    public var endsSession: Bool { true }
    /// One line: why, and what explains it where that is more than a guess.
    public var description: String {
        let words = self.cause?.serverDescription.map { ": " + UntrustedText.printable($0) } ?? ""
        let sentence = "Signed out: \(self.code.sentence)\(words)"
        return self.explanation.map {
            "\(sentence)\(sentence.hasSuffix(".") ? "" : ".") \($0.certainty.prefix)\($0.found)"
        } ?? sentence
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { self.explanation?.fix ?? "Sign in again." }

    /// The first finding, where it is more than a guess.
    public var explanation: Finding? { self.findings.first.flatMap { $0.certainty > .possible ? $0 : nil } }

    /// Why a session ended.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, stable.
        public let description: String
        let sentence: String

        /// Somebody signed out, here or in another process.
        public static let signedOut = Self(description: "signedOut", sentence: "somebody signed out")
        /// The person signed out at the provider, which told so.
        public static let loggedOut = Self(description: "loggedOut", sentence: "the person signed out at the provider")
        /// The provider does not accept the refresh token any more.
        public static let refused = Self(
            description: "refused",
            sentence: "the provider does not accept the stored session any more"
        )
        /// The provider does not accept the refresh token, and an earlier refresh was interrupted between its request
        /// and the save of its answer.
        public static let interrupted = Self(
            description: "interrupted",
            sentence: "an earlier refresh was interrupted and the provider does not accept the old session any more"
        )
        /// The access token has expired, and there is no refresh token.
        public static let expired = Self(
            description: "expired",
            sentence: "the access has expired and the provider gave no refresh token"
        )
        /// A refresh brought an ID token of another person, client or sign-in.
        public static let identityChanged = Self(
            description: "identityChanged",
            sentence: "the provider answered for another person or another sign-in"
        )
        /// A refresh brought an ID token that contradicts a claim that the program requires, such as the domain of the
        /// account.
        public static let claimChanged = Self(
            description: "claimChanged",
            sentence: "the account no longer has a property that this program requires"
        )
        /// The tokens are bound to a key that the record does not have: nobody can use them.
        public static let keyLost = Self(
            description: "keyLost",
            sentence: "the key that the session is bound to is lost"
        )
        /// The record says that it ended, for a reason that this version does not know.
        public static let other = Self(description: "other", sentence: "the session had ended before")

        static let all: [Self] = [
            .signedOut, .loggedOut, .refused, .interrupted, .expired, .identityChanged, .claimChanged, .keyLost,
        ]
        /// Whether the provider has refused the refresh token.
        public var isRefusal: Bool { [.refused, .interrupted].contains(self) }

        static func named(_ name: String?) -> Self { Self.all.first { $0.description == name } ?? .other }

        /// Whether the error is a session's end with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? SessionEndedError)?.code == pattern
        }
    }
}

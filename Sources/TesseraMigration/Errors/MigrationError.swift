// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

/// An error while importing credentials from another tool or exporting a session to one.
///
/// The error can contain byte positions and the names of members and classes, but never their values, which may be
/// tokens.
public struct MigrationError: ErrorGuidance, Sendable, Hashable {
    /// The kind of error.
    public let code: Code
    /// Additional text for the description, if any, without secrets.
    public let detail: String?

    /// Creates an error.
    public init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// A one-line description of the error.
    public var description: String {
        let words = self.detail.map { ": \($0)" } ?? ""
        return "\(self.code.sentence)\(words)"
    }
    /// A suggested next step for the user or the developer.
    public var recoverySuggestion: String? { self.code.advice }
}

extension MigrationError {
    /// The kind of a migration error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String
        let sentence: String
        let advice: String

        /// The data is not in a supported format.
        public static let unknownFormat = Self(
            description: "unknownFormat",
            sentence: "The file format is not supported",
            advice: "Provide an authorized_user file, a token.json, a binary keyed archive, or a GTMOAuth2 string."
        )
        /// The data is in a supported format, but its contents are invalid.
        public static let damaged = Self(
            description: "damaged",
            sentence: "The file is damaged",
            advice: "Create the file again with the other tool, or sign in again. Nothing has changed."
        )
        /// The file contains something other than a user's credentials.
        public static let noCredentials = Self(
            description: "notAGrant",
            sentence: "The file does not contain a user's credentials",
            advice: "Provide the file in which the other tool stores the user's sign-in."
        )
        /// There is no refresh token, so access ends when the access token expires.
        public static let noRefreshToken = Self(
            description: "noRefreshToken",
            sentence: "There is no refresh token",
            advice: "Sign in again. A session can be transferred only with a refresh token."
        )
        /// The file does not name the client that the credentials were issued to.
        public static let clientMissing = Self(
            description: "clientMissing",
            sentence: "The file does not name the client that the credentials were issued to",
            advice: "Specify the client that the other tool used, and its secret if it has one."
        )
        /// The credentials were issued to another client.
        public static let anotherClient = Self(
            description: "anotherClient",
            sentence: "The credentials were issued to another client",
            advice: "Use the client that the other tool used. The refresh token is valid only for that client."
        )
        /// The credentials were issued by another provider, or the file does not name the provider.
        public static let anotherProvider = Self(
            description: "anotherProvider",
            sentence: "The credentials were not issued by Google",
            advice: "Specify the provider if you trust it. The refresh token is sent only to that provider."
        )
        /// The session has ended.
        public static let ended = Self(
            description: "ended",
            sentence: "The session has ended",
            advice: "Sign in again."
        )
        /// The tokens are bound to a key that cannot be exported.
        public static let bound = Self(
            description: "bound",
            sentence: "The session's tokens are bound to a key that cannot be exported",
            advice: "Sign in without DPoP for the other tool. These tokens cannot be used without the key."
        )
        /// The provider rotates refresh tokens, so two programs cannot share one.
        public static let rotating = Self(
            description: "rotating",
            sentence: "The provider rotates refresh tokens",
            advice: "Sign in with the other tool instead, because only one program can use the refresh token."
        )
        /// A refresh was interrupted, so the refresh token may already have been used.
        public static let interrupted = Self(
            description: "interrupted",
            sentence: "A refresh was interrupted, so the refresh token may already have been used",
            advice: "Refresh the session first, for example with 'tessera token --refresh'."
        )
        /// The client's authentication method cannot be stored in the format.
        public static let clientUnsupported = Self(
            description: "clientUnsupported",
            sentence: "The format supports only clients with a client secret",
            advice: "Sign in with the other tool, using its own client."
        )

        /// Returns whether an error is a ``MigrationError`` with this code, for use in `catch` patterns.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? MigrationError)?.code == pattern
        }
        /// Returns whether two codes have the same name.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the code's name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

/// What another tool kept cannot be taken over, or a session cannot be handed to another tool.
///
/// It names members, classes and places, and never what stands there: that may be a token.
public struct MigrationError: ErrorGuidance, Sendable, Hashable {
    /// What is wrong.
    public let code: Code
    /// More words, where there are any: never a secret.
    public let detail: String?

    /// An error with a file or a session of another tool.
    public init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// One line: what is wrong.
    public var description: String {
        let words = self.detail.map { ": \($0)" } ?? ""
        return "\(self.code.sentence)\(words)"
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { self.code.advice }
}

extension MigrationError {
    /// What is wrong with a file or a session.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, stable.
        public let description: String
        let sentence: String
        let advice: String

        /// The bytes are in none of the formats that are read.
        public static let unknownFormat = Self(
            description: "unknownFormat",
            sentence: "The format is not known",
            advice: "Give an authorized_user file, a token.json, a binary keyed archive, or GTMOAuth2's string."
        )
        /// The format is known, and what has to stand in it does not.
        public static let damaged = Self(
            description: "damaged",
            sentence: "The file is damaged",
            advice: "Let the tool that made it write it anew, or sign in again; nothing was changed."
        )
        /// It is a file of credentials, and not of a person's grant.
        public static let notAGrant = Self(
            description: "notAGrant",
            sentence: "The file holds nobody's grant",
            advice: "Give the file in which the other tool keeps who signed in."
        )
        /// There is no refresh token: what is there ends with the access token.
        public static let noRefreshToken = Self(
            description: "noRefreshToken",
            sentence: "There is no refresh token",
            advice: "Sign in again: without one a session cannot go from one tool to another."
        )
        /// It does not say for which client the grant is.
        public static let clientMissing = Self(
            description: "clientMissing",
            sentence: "The file does not say which client the grant was given to",
            advice: "Name the client that the other tool used, and its secret where it has one."
        )
        /// The grant was given to another client than the one at hand.
        public static let anotherClient = Self(
            description: "anotherClient",
            sentence: "The grant was given to another client",
            advice: "Use the client that the other tool used: nobody else can renew its grant."
        )
        /// The grant was given by another provider, or it is not known by which.
        public static let anotherProvider = Self(
            description: "anotherProvider",
            sentence: "The grant was not given by Google",
            advice: "Name the provider if you trust it; its refresh token is sent to nobody else."
        )
        /// The session is over.
        public static let ended = Self(
            description: "ended",
            sentence: "The session has ended",
            advice: "Sign in again."
        )
        /// The tokens are bound to a key that does not leave the session.
        public static let bound = Self(
            description: "bound",
            sentence: "The session's tokens are bound to a key of its own",
            advice: "Sign in without DPoP for the other tool: these tokens are worth nothing without the key."
        )
        /// The provider replaces refresh tokens: a second owner ends both sessions.
        public static let rotating = Self(
            description: "rotating",
            sentence: "The provider was seen to replace the refresh token",
            advice: "Let the other tool sign in by itself: the first renewal by either would end the other."
        )
        /// A refresh was begun and not finished: the refresh token may be used up.
        public static let interrupted = Self(
            description: "interrupted",
            sentence: "A renewal was interrupted, and the refresh token may be used up",
            advice: "Renew the session first, with 'tessera token --refresh' for example."
        )
        /// The client proves itself by something that the format has no place for.
        public static let clientUnsupported = Self(
            description: "clientUnsupported",
            sentence: "The format knows only clients with a client secret",
            advice: "Let the other tool sign in by itself, with a client of its own."
        )

        /// Whether the error is a migration error with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? MigrationError)?.code == pattern
        }
        /// Codes are equal when their names are.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}

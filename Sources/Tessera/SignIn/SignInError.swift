// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// A sign-in, or a request for more scopes, did not come to its end.
///
/// What the provider said in the redirect or at its token endpoint is an `OAuthError`; what broke the protocol is a
/// `ProtocolViolationError`; this is the rest.
public struct SignInError: ErrorGuidance, Sendable, Hashable {
    /// What happened.
    public let code: Code
    /// More words, where there are any: never a secret.
    public let detail: String?

    /// A sign-in's error.
    public init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// Whether the same sign-in may succeed when tried again.
    public var isRetryable: Bool { self.code == .timedOut }
    /// One line: what happened.
    public var description: String {
        let words = self.detail.map { ": \($0)" } ?? ""
        return "\(self.code.sentence)\(words)"
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { self.code.advice }
}

extension SignInError {
    /// What happened to a sign-in.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, stable.
        public let description: String
        let sentence: String
        let advice: String

        /// No redirect came in time.
        public static let timedOut = Self(
            description: "timedOut",
            sentence: "Nobody finished the sign-in in time",
            advice: """
                Look at the browser: a provider shows some errors only on its own page, such as redirect_uri_mismatch \
                (register the redirect URI), admin_policy_enforced and org_internal (ask the administrator), \
                disallowed_useragent. Then try again.
                """
        )
        /// No browser could be opened.
        public static let noBrowser = Self(
            description: "noBrowser",
            sentence: "No browser could be opened",
            advice: "Open the printed address by hand, name a browser, or paste the redirect."
        )
        /// The redirect cannot be received: no loopback address, or the port is taken.
        public static let noListener = Self(
            description: "noListener",
            sentence: "The redirect cannot be received",
            advice: "Choose another redirect URI, or end the program that uses the port."
        )
        /// Another person, or another account of the same person, answered.
        public static let accountMismatch = Self(
            description: "accountMismatch",
            sentence: "Another account answered",
            advice: "Choose the account of this session in the browser; nothing was changed."
        )
        /// Every scope that was asked for is granted already.
        public static let scopesAlreadyGranted = Self(
            description: "scopesAlreadyGranted",
            sentence: "Every one of these scopes is granted already",
            advice: "Nothing needs to be done."
        )
        /// The account is not in the domain that was required.
        public static let domainMismatch = Self(
            description: "domainMismatch",
            sentence: "The account is not in the required domain",
            advice: "Sign in with an account of that domain."
        )
        /// The program was closed or the person gave up.
        public static let givenUp = Self(
            description: "givenUp",
            sentence: "The sign-in was given up",
            advice: "Start it again when ready."
        )
        /// The caller asked for something that cannot be.
        public static let invalidConfiguration = Self(
            description: "invalidConfiguration",
            sentence: "The sign-in is not set up correctly",
            advice: "Correct the named setting."
        )

        /// Whether the error is a sign-in error with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? SignInError)?.code == pattern
        }
        /// Codes are equal when their names are.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}

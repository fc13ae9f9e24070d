// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// An error that occurred during a sign-in or a request for additional scopes.
///
/// Errors that the provider returns in the redirect or from its token endpoint are `OAuthError` values, and violations
/// of the protocol are `ProtocolViolationError` values. This type covers the remaining errors.
public struct SignInError: ErrorGuidance, Sendable, Hashable {
    /// The kind of error.
    public let code: Code
    /// Additional text for the description, if any, without secrets.
    public let detail: String?

    /// Creates an error.
    public init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// Whether repeating the same sign-in may succeed, which is true only for ``Code/timedOut``.
    public var isRetryable: Bool { self.code == .timedOut }
    /// A one-line description of the error.
    public var description: String {
        let words = self.detail.map { ": \($0)" } ?? ""
        return "\(self.code.sentence)\(words)"
    }
    /// A suggested next step for the user or the developer.
    public var recoverySuggestion: String? { self.code.advice }
}

extension SignInError {
    /// The kind of a sign-in error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String
        let sentence: String
        let advice: String

        /// No redirect arrived before the timeout.
        public static let timedOut = Self(
            description: "timedOut",
            sentence: "The sign-in timed out",
            advice: """
                Check the browser, because providers show some errors only on their own page, such as \
                redirect_uri_mismatch (register the redirect URI), admin_policy_enforced and org_internal (ask the \
                administrator), and disallowed_useragent. Then try again.
                """
        )
        /// No browser could be opened.
        public static let noBrowser = Self(
            description: "noBrowser",
            sentence: "No browser could be opened",
            advice: "Open the printed URL manually, specify a browser, or paste the redirect URL."
        )
        /// The redirect cannot be received, for example because the port is in use.
        public static let noListener = Self(
            description: "noListener",
            sentence: "The redirect cannot be received",
            advice: "Choose another redirect URI, or quit the program that uses the port."
        )
        /// The response is for a different account than expected.
        public static let accountMismatch = Self(
            description: "accountMismatch",
            sentence: "The account does not match the expected one",
            advice: "Sign in with the expected account. No session was changed."
        )
        /// All requested scopes are already granted.
        public static let scopesAlreadyGranted = Self(
            description: "scopesAlreadyGranted",
            sentence: "All requested scopes are already granted",
            advice: "No action is needed."
        )
        /// The account does not have a required claim, such as its domain.
        public static let domainMismatch = Self(
            description: "domainMismatch",
            sentence: "The account is not in the required domain",
            advice: "Sign in with an account in that domain."
        )
        /// The user canceled the sign-in, or the app was closed.
        public static let canceled = Self(
            description: "givenUp",
            sentence: "The sign-in was canceled",
            advice: "Sign in again when you are ready."
        )
        /// A setting of the sign-in is missing or invalid.
        public static let invalidConfiguration = Self(
            description: "invalidConfiguration",
            sentence: "The sign-in is not configured correctly",
            advice: "Correct the setting named in the error."
        )

        /// Returns whether an error is a ``SignInError`` with this code, for use in `catch` patterns.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? SignInError)?.code == pattern
        }
        /// Returns whether two codes have the same name.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the code's name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}

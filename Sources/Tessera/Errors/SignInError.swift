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

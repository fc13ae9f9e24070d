// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
public import TesseraOAuth

/// The agent said no, or could not be asked: what happened, and what to do.
public struct AgentError: ErrorGuidance, Sendable, Hashable {
    /// What happened; over the socket it is the member `error`.
    public let code: Code
    /// More words, where there are any; never a secret.
    public let detail: String?
    /// The scopes that are missing, for ``Code/insufficientScope``.
    public let scopes: [Scope]

    /// An error of the agent's.
    public init(_ code: Code, detail: String? = nil, scopes: [Scope] = []) {
        self.code = code
        self.detail = detail.map { UntrustedText.printable($0, limit: 400) }
        self.scopes = scopes
    }

    /// Whether the code is `login_required`.
    public var endsSession: Bool { self.code == .loginRequired }
    /// Whether the same call may succeed later.
    public var isRetryable: Bool { [.temporarilyUnavailable, .noAnswer].contains(self.code) }
    /// One line: what happened.
    public var description: String {
        let scopes = UntrustedText.printable(self.scopes.map(\.rawValue).joined(separator: " "), limit: 400)
        return [self.code.sentence, self.detail, scopes.isEmpty ? nil : scopes].compactMap(\.self)
            .joined(separator: ": ")
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { self.code.advice }
}

extension AgentError {
    /// What a program that asked for a token is told about any error.
    init(_ error: any Error) {
        switch error {
        case let error as AgentError: self = error
        // A record that cannot be read is the store's failure: signing in again is not what the agent can advise.
        case let error as any ErrorGuidance where error.endsSession && !(error is StoreError):
            self.init(.loginRequired, detail: error.description)
        case let error as any ErrorGuidance:
            self.init(error.isRetryable ? .temporarilyUnavailable : .serverError, detail: error.description)
        case is CancellationError: self.init(.temporarilyUnavailable, detail: "the agent stops")
        default: self.init(.serverError, detail: "\(type(of: error))")
        }
    }
}

extension AgentError {
    /// What happened.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code as it stands in an answer, stable.
        public let description: String
        let sentence: String
        let advice: String

        init(_ description: String, _ sentence: String, _ advice: String) {
            self.description = description
            self.sentence = sentence
            self.advice = advice
        }

        /// No program listens at the socket.
        public static let notRunning = Self(
            "not_running",
            "No token agent listens",
            "Start one with 'tessera agent', or leave the agent out."
        )
        /// Another agent has the socket.
        public static let alreadyRunning = Self(
            "already_running",
            "An agent runs already",
            "Use it, or stop it with 'tessera agent stop'."
        )
        /// Another user may have access to the socket's directory, or the path cannot be a socket's.
        public static let unsafePlace = Self(
            "unsafe_place",
            "The agent's socket cannot be at this path",
            "Choose a path in a directory that is yours alone: mode 0700, and no link."
        )
        /// The audit log cannot be written.
        public static let unwritableAudit = Self(
            "unwritable_audit",
            "The audit log cannot be written",
            "Choose another file with --audit."
        )
        /// Another user listens at the socket.
        public static let anotherUser = Self(
            "another_user",
            "The program at the socket is another user's; nothing was sent",
            "Look who put it there; do not use that socket."
        )
        /// No answer came in time, or none that can be read.
        public static let noAnswer = Self(
            "no_answer",
            "The agent did not answer as it should",
            "Try again; see what 'tessera agent status' says."
        )
        /// The request has another form than the agent's protocol.
        public static let invalidRequest = Self(
            "invalid_request",
            "The request is not one that the agent knows",
            "Correct the request; Docs/Agent.md has its form."
        )
        /// Nobody is signed in, or the session has ended (the code is OpenID Connect's).
        public static let loginRequired = Self(
            "login_required",
            "Somebody has to sign in",
            "Run 'tessera login'."
        )
        /// Several accounts could be meant (the code is OpenID Connect's).
        public static let accountSelectionRequired = Self(
            "account_selection_required",
            "Several accounts could be meant",
            "Name one."
        )
        /// Scopes are missing in the grant (RFC 6750); the agent starts no consent.
        public static let insufficientScope = Self(
            "insufficient_scope",
            "The grant does not have these scopes",
            "Ask the person with 'tessera scopes add'; the agent asks nobody."
        )
        /// The session is sender-constrained (RFC 9449): its tokens are of no use without the key.
        public static let unsupportedTokenType = Self(
            "unsupported_token_type",
            "The session's tokens are bound to a key, and stay with it",
            "Use this session where its key is: with its store."
        )
        /// The network, the provider or the store fails for now.
        public static let temporarilyUnavailable = Self(
            "temporarily_unavailable",
            "The token could not be renewed for now",
            "Try again later; the session is still there."
        )
        /// Anything else that failed in the agent.
        public static let serverError = Self(
            "server_error",
            "The agent failed",
            "See what the agent says on its standard error, or in its audit."
        )

        /// The codes of answers.
        private static let ofAnswers: [Self] = [
            .invalidRequest, .loginRequired, .accountSelectionRequired, .insufficientScope, .unsupportedTokenType,
            .temporarilyUnavailable, .serverError,
        ]

        /// The code of an answer; one that is not known is a failure of the agent's.
        static func named(_ name: String?) -> Self { Self.ofAnswers.first { $0.description == name } ?? .serverError }

        /// The status of the answer that carries it.
        var status: Int {
            switch self {
            case .loginRequired, .insufficientScope: 403
            case .temporarilyUnavailable: 503
            case .serverError: 500
            default: 400
            }
        }

        /// Whether the error is the agent's with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool { (error as? AgentError)?.code == pattern }
        /// Codes are equal when their names are.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}

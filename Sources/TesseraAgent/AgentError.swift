// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
public import TesseraOAuth

/// An error from a token agent or from the connection to it.
public struct AgentError: ErrorGuidance, Sendable, Hashable {
    /// The error code, which is the `error` member in a response.
    public let code: Code
    /// Additional information, without secrets, or nil if there is none.
    public let detail: String?
    /// The missing scopes, for ``Code/insufficientScope``.
    public let scopes: [Scope]

    /// Creates an error with a code and optional details.
    public init(_ code: Code, detail: String? = nil, scopes: [Scope] = []) {
        self.code = code
        self.detail = detail.map { UntrustedText.printable($0, limit: 400) }
        self.scopes = scopes
    }

    /// Whether the session has ended, as indicated by the code `login_required`.
    public var endsSession: Bool { self.code == .loginRequired }
    /// Whether retrying the call later can succeed.
    public var isRetryable: Bool { [.temporarilyUnavailable, .noResponse].contains(self.code) }
    /// A one-line description of the error.
    public var description: String {
        let scopes = UntrustedText.printable(self.scopes.map(\.rawValue).joined(separator: " "), limit: 400)
        return [self.code.sentence, self.detail, scopes.isEmpty ? nil : scopes].compactMap(\.self)
            .joined(separator: ": ")
    }
    /// A suggested next step for the user or the developer.
    public var recoverySuggestion: String? { self.code.advice }
}

extension AgentError {
    /// Creates the error that a program receives for any other error.
    init(_ error: any Error) {
        switch error {
        case let error as AgentError: self = error
        // Signing in again does not fix an unreadable record, so report a failure of the store.
        case let error as any ErrorGuidance where error.endsSession && !(error is StoreError):
            self.init(.loginRequired, detail: error.description)
        case let error as any ErrorGuidance:
            self.init(error.isRetryable ? .temporarilyUnavailable : .serverError, detail: error.description)
        case is CancellationError: self.init(.temporarilyUnavailable, detail: "the agent is stopping")
        default: self.init(.serverError, detail: "\(type(of: error))")
        }
    }
}

extension AgentError {
    /// The code for an error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, as used in responses.
        public let description: String
        let sentence: String
        let advice: String

        init(_ description: String, _ sentence: String, _ advice: String) {
            self.description = description
            self.sentence = sentence
            self.advice = advice
        }

        /// No agent is listening at the socket.
        public static let notRunning = Self(
            "not_running",
            "No token agent is running",
            "Start one with 'tessera agent', or do not use an agent."
        )
        /// Another agent is already listening at the socket.
        public static let alreadyRunning = Self(
            "already_running",
            "An agent is already running",
            "Use it, or stop it with 'tessera agent stop'."
        )
        /// Other users may have access to the socket's directory, or the path cannot be used for a socket.
        public static let unsafeLocation = Self(
            "unsafe_place",
            "The agent's socket cannot be at this path",
            "Choose a path in a private directory (mode 0700, not a link)."
        )
        /// The socket that a service manager passed to the agent cannot be used.
        public static let unusableSocket = Self(
            "unusable_socket",
            "The inherited socket cannot be used",
            "Pass one listening Unix stream socket, as the systemd unit tessera-agent.socket does."
        )
        /// The audit log cannot be written.
        public static let unwritableAudit = Self(
            "unwritable_audit",
            "The audit log cannot be written",
            "Choose another file with --audit."
        )
        /// The process at the socket belongs to another user.
        public static let anotherUser = Self(
            "another_user",
            "The process at the socket belongs to another user, so nothing was sent",
            "Do not use this socket, and find out who created it."
        )
        /// The response was not received in time or could not be parsed.
        public static let noResponse = Self(
            "no_answer",
            "The agent did not send a valid response",
            "Try again, and check the agent with 'tessera agent status'."
        )
        /// The request does not conform to the agent's protocol.
        public static let invalidRequest = Self(
            "invalid_request",
            "The request is invalid",
            "Correct the request. Docs/Agent.md describes the protocol."
        )
        /// No user is signed in, or the session has ended (an OpenID Connect error code).
        public static let loginRequired = Self(
            "login_required",
            "Not signed in",
            "Run 'tessera login'."
        )
        /// The request matches several accounts (an OpenID Connect error code).
        public static let accountSelectionRequired = Self(
            "account_selection_required",
            "The request matches several accounts",
            "Specify one of them."
        )
        /// The user has not granted some of the scopes, and the agent does not request them (RFC 6750).
        public static let insufficientScope = Self(
            "insufficient_scope",
            "The user has not granted these scopes",
            "Request them with 'tessera scopes add'. The agent cannot ask the user."
        )
        /// The session's tokens are sender-constrained and cannot be used without the key (RFC 9449).
        public static let unsupportedTokenType = Self(
            "unsupported_token_type",
            "The session's tokens are bound to a key and cannot be shared",
            "Use the session directly from its store, which contains the key."
        )
        /// The network, the provider or the store has failed temporarily.
        public static let temporarilyUnavailable = Self(
            "temporarily_unavailable",
            "The token cannot be refreshed at the moment",
            "Try again later. The session is still valid."
        )
        /// Any other failure in the agent.
        public static let serverError = Self(
            "server_error",
            "The agent failed",
            "Check the agent's standard error or audit log."
        )

        /// The codes that can occur in a response.
        private static let ofResponses: [Self] = [
            .invalidRequest, .loginRequired, .accountSelectionRequired, .insufficientScope, .unsupportedTokenType,
            .temporarilyUnavailable, .serverError,
        ]

        /// Returns the code with the given name, or `serverError` if the name is unknown.
        static func named(_ name: String?) -> Self { Self.ofResponses.first { $0.description == name } ?? .serverError }

        /// The HTTP status for a response with this code.
        var status: Int {
            switch self {
            case .loginRequired, .insufficientScope: 403
            case .temporarilyUnavailable: 503
            case .serverError: 500
            default: 400
            }
        }

        /// Returns whether an error is an agent error with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool { (error as? AgentError)?.code == pattern }
        /// Returns whether two codes have the same name.
        public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
        /// Hashes the code's name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.description) }
    }
}

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

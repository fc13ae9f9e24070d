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

    /// Always true: nothing was changed, here or there.
    public var sessionSurvives: Bool { true }
    /// Never: the same file is wrong again.
    public var retryCanHelp: Bool { false }
    /// One line: what is wrong.
    public var description: String {
        let words = self.detail.map { ": \($0)" } ?? ""
        return "\(self.code.sentence)\(words)"
    }
    /// What to do about it.
    public var whatToDo: String { self.code.advice }
}

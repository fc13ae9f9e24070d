// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// A call went to an origin that the session's tokens may not be sent to.
///
/// Nothing was sent, no token was read.
public struct OriginRefused: ErrorGuidance, Sendable, Hashable {
    /// The origin of the call.
    public let origin: String
    /// Where tokens may go.
    public let authorizedOrigins: [OriginPattern]

    /// A refusal.
    public init(origin: String, authorizedOrigins: [OriginPattern]) {
        self.origin = origin
        self.authorizedOrigins = authorizedOrigins
    }

    /// Always true: nothing was sent.
    public var sessionSurvives: Bool { true }
    /// Never by itself.
    public var retryCanHelp: Bool { false }
    /// One line: which origin.
    public var description: String {
        "Tokens of this session may not be sent to \(UntrustedText.printable(self.origin))"
    }
    /// What to do about it.
    public var whatToDo: String {
        let allowed = self.authorizedOrigins.map(\.description).joined(separator: ", ")
        return "Allow this origin if you trust it" + (allowed.isEmpty ? "." : "; allowed so far: \(allowed).")
    }
}

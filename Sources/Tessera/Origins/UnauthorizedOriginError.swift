// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// A call went to an origin that the session's tokens may not be sent to.
///
/// Nothing was sent, no token was read.
public struct UnauthorizedOriginError: ErrorGuidance, Sendable, Hashable {
    /// The origin of the call.
    public let origin: String
    /// Where tokens may go.
    public let authorizedOrigins: [OriginPattern]

    /// A refusal.
    public init(origin: String, authorizedOrigins: [OriginPattern]) {
        self.origin = origin
        self.authorizedOrigins = authorizedOrigins
    }

    /// One line: which origin.
    public var description: String {
        "Tokens of this session may not be sent to \(UntrustedText.printable(self.origin))"
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        let allowed = self.authorizedOrigins.map(\.description).joined(separator: ", ")
        return "Allow this origin if you trust it" + (allowed.isEmpty ? "." : "; allowed so far: \(allowed).")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// A grant was refreshed and its refresh token replaced, and then it did not become a session: here is what is valid now.
///
/// What the other library has kept is of no more use. Try again with ``grant``, or keep it: nobody else has it.
public struct AdoptionInterruptedError: ErrorGuidance, Sendable {
    /// The grant with the refresh token that the provider has just given.
    public let grant: ExistingGrant
    /// What went wrong after that.
    public let cause: any Error

    /// A grant that would else be lost.
    public init(grant: ExistingGrant, cause: any Error) {
        self.grant = grant
        self.cause = cause
    }

    /// Whether the adoption of ``grant`` may succeed without anybody changing anything.
    public var isRetryable: Bool { (self.cause as? any ErrorGuidance)?.isRetryable ?? false }
    /// One line: what happened.
    public var description: String { "The refresh token was replaced, but the grant is not saved: \(self.cause)" }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        let advice = (self.cause as? any ErrorGuidance)?.recoverySuggestion ?? "Try again."
        return "Go on with the error's grant, the old one is void. \(advice)"
    }
}

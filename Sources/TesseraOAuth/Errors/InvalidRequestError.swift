// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A request that cannot be sent because a parameter or setting is not valid.
///
/// This error is thrown before anything is sent.
///
/// - SeeAlso: [RFC 6749, section 3.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.1)
public struct InvalidRequestError: ErrorGuidance, Sendable, Hashable {
    /// The name of the parameter or setting.
    public let name: String
    /// The reason why the parameter or setting is not valid.
    public let reason: String
    /// The advice, or nil to suggest correcting the parameter or setting.
    private let advice: String?

    /// Creates an error about a parameter or setting.
    public init(_ name: String, reason: String, advice: String? = nil) {
        self.name = name
        self.reason = reason
        self.advice = advice
    }

    /// A one-line description that contains the name and the reason.
    public var description: String { "\(self.name): \(self.reason)" }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { self.advice ?? "Correct \(self.name)." }
}

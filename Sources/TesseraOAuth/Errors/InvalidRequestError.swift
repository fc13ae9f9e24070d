// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The caller asked for a request that cannot be: thrown before anything is sent.
///
/// - SeeAlso: [RFC 6749, section 3.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.1)
public struct InvalidRequestError: ErrorGuidance, Sendable, Hashable {
    /// The parameter or the setting.
    public let name: String
    /// What is wrong with it.
    public let reason: String
    /// What to do about it; nil where the setting is to be corrected.
    private let advice: String?

    /// An error of the caller's.
    public init(_ name: String, reason: String, advice: String? = nil) {
        self.name = name
        self.reason = reason
        self.advice = advice
    }

    /// One line: what is wrong.
    public var description: String { "\(self.name): \(self.reason)" }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { self.advice ?? "Correct \(self.name)." }
}

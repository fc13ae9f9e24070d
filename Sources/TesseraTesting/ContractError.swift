// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// An error that describes which of a contract's requirements an implementation violates.
public struct ContractError: ErrorGuidance, Hashable {
    /// The requirement that was violated, or how the result differs from the expected one.
    public let description: String

    /// An instruction for the developer.
    public var recoverySuggestion: String? { "Change the type under test so that it meets this requirement." }

    /// Creates an error with the given description.
    public init(_ description: String) { self.description = description }

    static func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(ContractError) {
        if !condition { throw ContractError(sentence()) }
    }
}

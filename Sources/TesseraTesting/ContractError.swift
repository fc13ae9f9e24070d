// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// A door's conformer does not keep its contract; says which sentence of it.
public struct ContractError: ErrorGuidance, Hashable {
    /// What was expected, and what came instead.
    public let description: String

    /// An instruction for the developer.
    public var recoverySuggestion: String? { "Change the type under test so that it meets this requirement." }

    /// A failure with a sentence.
    public init(_ description: String) { self.description = description }

    static func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(ContractError) {
        if !condition { throw ContractError(sentence()) }
    }
}

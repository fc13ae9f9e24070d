// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A door's conformer does not keep its contract; says which sentence of it.
public struct ContractFailure: Error, Hashable, CustomStringConvertible {
    /// What was expected, and what came instead.
    public let description: String

    /// A failure with a sentence.
    public init(_ description: String) { self.description = description }

    static func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(ContractFailure) {
        if !condition { throw ContractFailure(sentence()) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a contract suite found: a sentence that says what the tested thing did and should not have done.
public struct ContractFailure: Error, CustomStringConvertible {
    /// The sentence.
    public let description: String

    /// A failure, told in one sentence.
    public init(_ sentence: String) { self.description = sentence }
}

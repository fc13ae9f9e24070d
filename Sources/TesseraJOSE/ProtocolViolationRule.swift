// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension ProtocolViolationError {
    /// The name of a rule; open, since standards grow.
    ///
    /// `catch ProtocolViolationError.Rule.issuerMatch` reads as a sentence.
    public struct Rule: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The rule's name, for example `jwt.audience`.
        public let rawValue: String
        /// A rule of that name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The rule's name.
        public var description: String { self.rawValue }

        /// Whether the error is a violation of this rule.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? ProtocolViolationError)?.rule == pattern
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// One thing that explains a failure, or announces one: what speaks for it, what helps, and how sure it is.
///
/// Each is one line for people; ``code`` and ``certainty`` are for programs. No secret is in it.
public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// What it is.
    public let code: Code
    /// How sure it is.
    public let certainty: Certainty
    /// One or two short sentences: what was found, with the evidence.
    public let found: String
    /// One sentence or two: what helps.
    public let fix: String

    /// A finding; the code's own advice is the fix where none is given.
    public init(_ code: Code, _ certainty: Certainty, _ found: String, fix: String? = nil) {
        self.code = code
        self.certainty = certainty
        self.found = found
        self.fix = fix ?? code.fix
    }

    /// What was found, and what helps.
    public var description: String { "\(self.certainty.prefix)\(self.found) \(self.fix)" }

    /// How sure a finding is.
    public enum Certainty: String, Sendable, Hashable, Comparable, CaseIterable {
        /// Nothing that is known speaks against it, and nothing for it.
        case possible
        /// What is known speaks for it.
        case likely
        /// Somebody said so who knows, or it was measured.
        case certain

        /// Orders by how sure they are.
        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// The words before what is not certain.
        public var prefix: String {
            switch self {
            case .certain: ""
            case .likely: "Likely: "
            case .possible: "Possibly: "
            }
        }
    }
}

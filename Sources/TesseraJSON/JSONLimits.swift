// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How deep and how long a document may be; longer or deeper ones are refused before they cost memory.
public struct JSONLimits: Sendable, Hashable {
    /// How many arrays and objects may stand inside each other; at least 0 and never more than 1,024, whatever is set.
    public var maximumDepth: Int
    /// How many bytes a document may have; never more than 512 MiB, whatever is set.
    ///
    /// A parsed document takes up to eight times its length in memory (a list of one-digit numbers); an ordinary one
    /// takes twice its length.
    public var maximumBytes: Int

    /// The given limits, or 128 levels and 16 MiB.
    public init(maximumDepth: Int = 128, maximumBytes: Int = 1 << 24) {
        self.maximumDepth = maximumDepth
        self.maximumBytes = maximumBytes
    }

    var depth: Int { min(max(self.maximumDepth, 0), 1_024) }
    var bytes: Int { min(max(self.maximumBytes, 0), 1 << 29) }
}

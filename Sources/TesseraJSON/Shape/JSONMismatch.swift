// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Where a document has another shape than it should.
package struct JSONMismatch: Error, Sendable, Hashable {
    /// The way to the value, such as `files[3].size`; empty for the outermost.
    package private(set) var path: String
    /// What should be there, such as `a list`.
    package let expected: String
    /// What is there.
    package let actual: JSONKind

    init(expected: String, actual: JSONKind) {
        self.path = ""
        self.expected = expected
        self.actual = actual
    }

    func within(_ name: String) -> Self {
        var mismatch = self
        mismatch.path = self.path.isEmpty || self.path.hasPrefix("[") ? name + self.path : name + "." + self.path
        return mismatch
    }
}

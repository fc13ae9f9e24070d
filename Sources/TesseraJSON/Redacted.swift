// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A type whose descriptions and reflection omit its secret contents.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
    /// The debug description, which is the same as `description`.
    public var debugDescription: String { self.description }
    /// A mirror without children, because `dump` would otherwise print the contents.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A value that may hold secrets: its description, its debug description and its reflection show none of them.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
    /// The description.
    public var debugDescription: String { self.description }
    /// A mirror without children: `dump` would show the contents otherwise.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

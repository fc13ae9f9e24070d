// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Only the shape, such as `object with 5 members`: the contents may be tokens.
    public var description: String {
        let count = self.entry.count
        switch self.kind {
        case .object: return "object with \(count) \(count == 1 ? "member" : "members")"
        case .array: return "array with \(count) \(count == 1 ? "element" : "elements")"
        default: return self.kind.description
        }
    }

    /// Only the shape.
    public var debugDescription: String { self.description }

    /// A mirror without children: `dump` would show the bytes otherwise.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A member of an object that will be written.
public struct JSONMember: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: JSONNode

    /// A member of that name and value.
    public init(name: String, value: JSONNode) {
        self.name = name
        self.value = value
    }
}

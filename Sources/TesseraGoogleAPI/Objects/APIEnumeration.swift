// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// A text of which some values are known; a server may send others.
public protocol APIEnumeration: APIValue, RawRepresentable, Hashable where RawValue == String {
    /// A value, known or not.
    init(rawValue: String)
}

extension APIEnumeration {
    /// The value of a text; nil for anything else.
    public init?(_ node: JSONNode) {
        guard let text = node.stringValue else { return nil }
        self.init(rawValue: text)
    }

    /// The text.
    public var node: JSONNode { .string(self.rawValue) }
}

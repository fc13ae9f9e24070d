// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// The query of a URL in the making: names and values, percent-encoded, in the order in which they were added.
package struct URLQuery: Sendable, ExpressibleByDictionaryLiteral {
    /// With its question mark; empty where there is nothing.
    private(set) var text = ""

    /// Of names and values, as they are.
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self.add(name, value) }
    }

    package mutating func add(_ name: String, _ value: String) {
        self.text += self.text.isEmpty ? "?" : "&"
        self.text += PercentEncoding.encode(name, .unreserved)
        self.text += "="
        self.text += PercentEncoding.encode(value, .unreserved)
    }

    /// A parameter's value: once for each element of a list; nothing for null.
    mutating func add(_ name: String, _ value: JSONNode) {
        if let text = value.stringValue {
            self.add(name, text)
        } else if let elements = value.elements {
            for element in elements { self.add(name, element) }
        } else if !value.isNull {
            self.add(name, value.text())
        }
    }

    package static func += (query: inout Self, other: Self) {
        query.text += query.text.isEmpty || other.text.isEmpty ? other.text : "&" + other.text.dropFirst()
    }
}

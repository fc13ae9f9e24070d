// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraSupport

/// The query of a URL in the making: names and values, percent-encoded, in the order in which they were added.
///
/// It is written right behind its path: each call has one, and most are of one piece then.
struct URLQuery {
    /// The path, and the query with its question mark; without one where nothing was added.
    private(set) var text: String
    private var isEmpty = true

    /// A query that goes on from a path.
    init(after path: String) { self.text = path }

    mutating func add(_ name: String, _ value: String) {
        self.separate()
        self.text += PercentEncoding.encode(name)
        self.text += "="
        self.text += PercentEncoding.encode(value)
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

    /// Parameters as they stand in a URL.
    mutating func add(encoded parameters: some StringProtocol) {
        self.separate()
        self.text += parameters
    }

    private mutating func separate() {
        self.text += self.isEmpty ? "?" : "&"
        self.isEmpty = false
    }
}

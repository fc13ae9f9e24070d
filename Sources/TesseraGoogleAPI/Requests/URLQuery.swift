// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraSupport

/// Builds the percent-encoded query of a URL, with parameters in the order in which they were added.
///
/// The path and the query share one string, which saves an allocation for each call.
struct URLQuery {
    /// The path, followed by the query if there are any parameters.
    private(set) var text: String
    private var isEmpty = true

    /// Creates an empty query that follows a path.
    init(after path: String) { self.text = path }

    mutating func add(_ name: String, _ value: String) {
        self.separate()
        self.text += PercentEncoding.encode(name)
        self.text += "="
        self.text += PercentEncoding.encode(value)
    }

    /// Adds a parameter.
    ///
    /// An array adds it once for each element, and null adds nothing.
    mutating func add(_ name: String, _ value: JSONNode) {
        if let text = value.stringValue {
            self.add(name, text)
        } else if let elements = value.elements {
            for element in elements { self.add(name, element) }
        } else if !value.isNull {
            self.add(name, value.text())
        }
    }

    /// Adds percent-encoded parameters.
    mutating func add(encoded parameters: some StringProtocol) {
        self.separate()
        self.text += parameters
    }

    private mutating func separate() {
        self.text += self.isEmpty ? "?" : "&"
        self.isEmpty = false
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

extension FormParameters {
    /// A program's own parameters by name, but for those that the request has already: none is sent twice.
    ///
    /// - SeeAlso: [RFC 6749, section 3.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.2)
    mutating func append(additional parameters: [String: String]?) {
        for (name, value) in (parameters ?? [:]).sorted(by: { $0.key < $1.key }) { self.appendOnce(name, value) }
    }
}

extension FormParameters {
    /// The parameters by name, as a response's initializer takes them.
    var byName: [String: String] {
        Dictionary(self.parameters.map { ($0.name, $0.value) }) { first, _ in first }
    }
}

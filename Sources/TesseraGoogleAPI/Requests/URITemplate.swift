// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A URI template that supports the two kinds of expressions in Google's documents, `{name}` and `{+name}`.
///
/// - SeeAlso: [RFC 6570, sections 3.2.2 and 3.2.3](https://www.rfc-editor.org/rfc/rfc6570.html#section-3.2)
struct URITemplate {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Appends the expanded template to a path.
    ///
    /// A value cannot add a query or a fragment, and it cannot change the path to that of another method. Empty values
    /// and dot segments are rejected.
    ///
    /// - Parameters:
    ///   - path: The path to append to.
    ///   - value: Returns the value for a name in the template.
    /// - Returns: The names in the template.
    /// - Throws: `InvalidRequestError` if a value is not valid in a path.
    func expand(into path: inout String, _ value: (String) -> String?) throws -> [String] {
        var (names, text): ([String], String) = ([], self.text)
        try text.withUTF8 { text in
            var position = 0
            while let open = text.span.firstIndex(of: UInt8(ascii: "{"), from: position),
                let close = text.span.firstIndex(of: UInt8(ascii: "}"), from: open + 1)
            {
                path += String(decoding: text[position..<open], as: UTF8.self)
                let isReserved = text[open + 1] == UInt8(ascii: "+")
                let name = String(decoding: text[(isReserved ? open + 2 : open + 1)..<close], as: UTF8.self)
                path += try Self.segment(name, value(name), isReserved)
                names.append(name)
                position = close + 1
            }
            path += String(decoding: text[position...], as: UTF8.self)
        }
        return names
    }

    private static func segment(_ name: String, _ value: String?, _ isReserved: Bool) throws -> String {
        guard let value, !value.isEmpty else {
            throw InvalidRequestError(name, reason: "a path parameter must not be empty")
        }
        let isStep =
            isReserved
            ? value.split(separator: "/", omittingEmptySubsequences: false).contains { $0 == "." || $0 == ".." }
            : value == "." || value == ".."
        guard !isStep else {
            throw InvalidRequestError(name, reason: "a path parameter must not be a dot segment")
        }
        return PercentEncoding.encode(value, isReserved ? .reserved : .unreserved)
    }
}

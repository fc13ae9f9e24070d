// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A path with names in braces, in the two forms that Google's documents have: `{name}` and `{+name}`.
///
/// - SeeAlso: [RFC 6570, sections 3.2.2 and 3.2.3](https://www.rfc-editor.org/rfc/rfc6570.html#section-3.2)
struct URITemplate {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Writes the template with its names filled in behind a path.
    ///
    /// A value never adds a query or a fragment, and never makes the path another method's: what is empty or a step
    /// upwards is refused.
    ///
    /// - Parameters:
    ///   - path: what comes before.
    ///   - value: the value of a name.
    /// - Returns: the names that were filled in.
    /// - Throws: `InvalidRequestError` for a value that cannot be in a path.
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
            throw InvalidRequestError(name, reason: "it is a part of the path and must not be empty")
        }
        let isStep =
            isReserved
            ? value.split(separator: "/", omittingEmptySubsequences: false).contains { $0 == "." || $0 == ".." }
            : value == "." || value == ".."
        guard !isStep else {
            throw InvalidRequestError(name, reason: "it is a part of the path and must not be a step in it")
        }
        return PercentEncoding.encode(value, isReserved ? .reserved : .unreserved)
    }
}

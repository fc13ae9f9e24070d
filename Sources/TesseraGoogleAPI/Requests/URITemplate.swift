// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraOAuth

/// A path with names in braces, in the two forms that Google's documents have: `{name}` and `{+name}`.
///
/// - SeeAlso: [RFC 6570, sections 3.2.2 and 3.2.3](https://www.rfc-editor.org/rfc/rfc6570.html#section-3.2)
struct URITemplate {
    private let text: Substring

    init(_ text: String) { self.text = Substring(text) }

    /// Writes the template with its names filled in behind a path.
    ///
    /// A value never adds a query or a fragment, and never makes the path another method's: what is empty or a step
    /// upwards is refused.
    ///
    /// - Parameters:
    ///   - path: what comes before.
    ///   - value: the value of a name.
    /// - Returns: the names that were filled in.
    /// - Throws: `InvalidRequest` for a value that cannot be in a path.
    func expand(into path: inout String, _ value: (String) -> String?) throws(InvalidRequest) -> [String] {
        var names: [String] = []
        var rest = self.text
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "{")),
            let close = rest.utf8[open...].firstIndex(of: UInt8(ascii: "}"))
        {
            path += rest[..<open]
            let inner = rest[rest.utf8.index(after: open)..<close]
            let isReserved = inner.utf8.first == UInt8(ascii: "+")
            let name = String(isReserved ? inner.dropFirst() : inner)
            path += try Self.segment(name, value(name), isReserved)
            names.append(name)
            rest = rest[rest.utf8.index(after: close)...]
        }
        path += rest
        return names
    }

    private static func segment(
        _ name: String,
        _ value: String?,
        _ isReserved: Bool
    ) throws(InvalidRequest) -> String {
        guard let value, !value.isEmpty else {
            throw InvalidRequest(name, reason: "it is a part of the path and must not be empty")
        }
        let isStep =
            isReserved
            ? value.split(separator: "/", omittingEmptySubsequences: false).contains { $0 == "." || $0 == ".." }
            : value == "." || value == ".."
        guard !isStep else {
            throw InvalidRequest(name, reason: "it is a part of the path and must not be a step in it")
        }
        return PercentEncoding.encode(value, isReserved ? .reserved : .unreserved)
    }
}

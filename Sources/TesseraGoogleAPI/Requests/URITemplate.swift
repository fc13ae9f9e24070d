// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraOAuth

/// A path with names in braces, in the two forms that Google's documents have: `{name}` and `{+name}`.
///
/// - SeeAlso: [RFC 6570, sections 3.2.2 and 3.2.3](https://www.rfc-editor.org/rfc/rfc6570.html#section-3.2)
struct URITemplate {
    private enum Piece {
        case text(Substring)
        case name(String, isReserved: Bool)
    }

    private let pieces: [Piece]

    init(_ template: String) {
        var pieces: [Piece] = []
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            pieces.append(.text(rest[..<open]))
            let name = rest[rest.index(after: open)..<close]
            pieces.append(.name(String(name.drop { $0 == "+" }), isReserved: name.hasPrefix("+")))
            rest = rest[rest.index(after: close)...]
        }
        pieces.append(.text(rest))
        self.pieces = pieces
    }

    var names: [String] {
        self.pieces.compactMap { if case .name(let name, _) = $0 { name } else { nil } }
    }

    /// The path with its names filled in.
    ///
    /// A value never adds a query or a fragment, and never makes the path another method's: what is empty or a step
    /// upwards is refused.
    func expanded(_ value: (String) -> String?) throws(InvalidRequest) -> String {
        var path = ""
        for piece in self.pieces {
            switch piece {
            case .text(let text): path += text
            case .name(let name, let isReserved):
                guard let value = value(name), !value.isEmpty else {
                    throw InvalidRequest(name, reason: "it is a part of the path and must not be empty")
                }
                let segments = isReserved ? value.split(separator: "/", omittingEmptySubsequences: false) : [value[...]]
                guard !segments.contains(where: { $0 == "." || $0 == ".." }) else {
                    throw InvalidRequest(name, reason: "it is a part of the path and must not be a step in it")
                }
                path += PercentEncoding.encode(value, isReserved ? .reserved : .unreserved)
            }
        }
        return path
    }
}

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
        var rest = Substring(template)
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "{")),
            let close = rest.utf8[open...].firstIndex(of: UInt8(ascii: "}"))
        {
            pieces.append(.text(rest[..<open]))
            let name = rest[rest.utf8.index(after: open)..<close]
            let isReserved = name.utf8.first == UInt8(ascii: "+")
            pieces.append(.name(String(isReserved ? name.dropFirst() : name), isReserved: isReserved))
            rest = rest[rest.utf8.index(after: close)...]
        }
        pieces.append(.text(rest))
        self.pieces = pieces
    }

    /// Whether a name is filled in.
    func contains(_ name: String) -> Bool {
        self.pieces.contains { if case .name(name, _) = $0 { true } else { false } }
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A writer that encodes nodes as JSON text.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private let pretty: Bool
    private var depth = 0
    /// The maximum indentation, so that a small but deeply nested document does not produce huge output.
    private static let deepestIndentation = 32

    init(pretty: Bool) { self.pretty = pretty }

    mutating func write(_ node: JSONNode) {
        switch node {
        case .null: self.bytes += "null".utf8
        case .bool(let value): self.bytes += (value ? "true" : "false").utf8
        case .integer(let value): self.bytes += value.description.utf8
        case .double(let value): self.bytes += (value.isFinite ? value.description : "null").utf8
        case .string(let value): self.string(value)
        case .array(let elements):
            self.list(elements, in: "[", "]") { $0.write($1) }
        case .object(let members):
            self.list(members, in: "{", "}") { writer, member in
                writer.name(member.name)
                writer.write(member.value)
            }
        case .parsed(let value): self.parsed(value)
        }
    }

    private mutating func parsed(_ value: JSONValue) {
        if self.pretty, let elements = value.elements {
            self.list(elements, in: "[", "]") { $0.parsed($1) }
        } else if self.pretty, let members = value.members {
            self.list(members, in: "{", "}") { writer, member in
                writer.name(member.name)
                writer.parsed(member.value)
            }
        } else {
            self.bytes += value.bytes
        }
    }

    private mutating func list<Items: Collection>(
        _ items: Items,
        in open: Unicode.Scalar,
        _ close: Unicode.Scalar,
        write: (inout Self, Items.Element) -> Void
    ) {
        self.bytes.append(UInt8(ascii: open))
        self.depth += 1
        var isFirst = true
        for item in items {
            if !isFirst { self.bytes.append(JSONCharacter.comma) }
            isFirst = false
            self.line()
            write(&self, item)
        }
        self.depth -= 1
        if !isFirst { self.line() }
        self.bytes.append(UInt8(ascii: close))
    }

    private mutating func line() {
        guard self.pretty else { return }
        self.bytes.append(JSONCharacter.lineFeed)
        self.bytes += repeatElement(JSONCharacter.space, count: min(self.depth, Self.deepestIndentation) * 2)
    }

    private mutating func name(_ name: String) {
        self.string(name)
        self.bytes.append(JSONCharacter.colon)
        if self.pretty { self.bytes.append(JSONCharacter.space) }
    }

    private mutating func string(_ text: String) {
        self.bytes.append(JSONCharacter.quote)
        var text = text
        text.withUTF8 { text in
            // The parts that are not escaped are copied at once.
            var start = 0
            for index in text.indices where Self.isEscaped(text[index]) {
                self.bytes += text[start..<index]
                self.escape(text[index])
                start = index + 1
            }
            self.bytes += text[start...]
        }
        self.bytes.append(JSONCharacter.quote)
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < JSONCharacter.space || byte == JSONCharacter.quote || byte == JSONCharacter.backslash
    }

    private mutating func escape(_ byte: UInt8) {
        self.bytes.append(JSONCharacter.backslash)
        switch byte {
        case JSONCharacter.lineFeed: self.bytes.append(JSONCharacter.n)
        case JSONCharacter.carriageReturn: self.bytes.append(JSONCharacter.r)
        case JSONCharacter.tab: self.bytes.append(JSONCharacter.t)
        case 0..<JSONCharacter.space:
            let digits = String(byte, radix: 16)
            self.bytes += "u\(digits.count == 1 ? "000" : "00")\(digits)".utf8
        default: self.bytes.append(byte)
        }
    }
}

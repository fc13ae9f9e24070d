// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A rule for the text of a field in a discovery document.
///
/// A discovery document is untrusted input that is converted to code. Fields used in identifiers, file names, URLs or
/// literals must consist of ASCII letters, digits and some punctuation. Titles, descriptions and default values are
/// free text and are used only in comments. Patterns are used only in literals in test code.
struct FieldRule: Sendable {
    /// A description of valid text, such as `an https URL`.
    let expectation: String
    private let maximumLength: Int
    private let isMet: @Sendable (Substring.UTF8View) -> Bool

    private init(
        _ expectation: String,
        upTo maximumLength: Int,
        _ isMet: @escaping @Sendable (Substring.UTF8View) -> Bool
    ) {
        self.expectation = expectation + ", at most \(maximumLength) bytes long"
        self.maximumLength = maximumLength
        self.isMet = isMet
    }

    /// Returns whether the text follows the rule.
    func accepts(_ text: String) -> Bool {
        text.utf8.count <= self.maximumLength && self.isMet(text[...].utf8)
    }

    // MARK: Names

    static let apiName = Self.word("a letter followed by letters, digits and '_'", of: "_", upTo: 64)
    static let version = Self("a version such as v1, directory_v1 or v1.1", upTo: 64) {
        $0.split(omittingEmptySubsequences: false) { "._-".utf8.contains($0) }
            .allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isASCIIAlphanumeric) }
    }
    static let canonicalName = Self.text("letters, digits, spaces and '&', '-', '_', '.'", of: " &-_.", upTo: 128)
    static let revision = Self("letters, digits and '.', '_', '-'", upTo: 64) {
        $0.allSatisfy { $0.isASCIIAlphanumeric || "._-".utf8.contains($0) }
    }
    /// The name of a resource or a method.
    static let name = Self.word("a letter followed by letters, digits, '_' and '-'", of: "_-", upTo: 128)
    static let schemaName = Self.word("a letter followed by letters, digits and '_', '-', '.'", of: "_-.", upTo: 200)
    /// The name of a property or a parameter.
    static let memberName = Self.text("letters, digits and '_', '-', '.', '$', '@'", of: "_-.$@", upTo: 128)
    static let methodID = Self.word("a name such as drive.files.list", of: "._-", upTo: 256)
    static let enumerationValue = Self.text(
        "letters, digits and '_', '-', '.', ':', '/', '+', '$', '@'",
        of: "_-.:/+$@",
        upTo: 256
    )
    /// A format, a feature, or the version in a header field.
    static let word = Self.text("letters, digits and '.', '_', '-'", of: "._-", upTo: 64)

    // MARK: Values from a list

    static let httpMethod = Self.oneOf(["GET", "POST", "PUT", "PATCH", "DELETE"])
    static let type = Self.oneOf(["any", "array", "boolean", "integer", "number", "object", "string"])
    static let location = Self.oneOf(["path", "query"])

    // MARK: Places

    static let rootURL = Self("an https URL with only a host, a port and a path", upTo: 512) { text in
        if let rest = Self.rest(of: text, after: "https://") { return Self.isHostAndPath(rest) }
        // Development servers run on the same machine.
        guard let rest = Self.rest(of: text, after: "http://") else { return false }
        let host = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
        return ["localhost", "127.0.0.1"].contains { host.elementsEqual($0.utf8) } && Self.isHostAndPath(rest)
    }
    static let link = Self("an https or http URL without spaces, quotation marks and brackets", upTo: 512) { text in
        guard let rest = Self.rest(of: text, after: "https://") ?? Self.rest(of: text, after: "http://") else {
            return false
        }
        let place = rest.drop { $0 != UInt8(ascii: "/") }
        return Self.isHost(rest[..<place.startIndex]) && (place.isEmpty || Self.isText(place, of: "-._~:/?#@&=+,%"))
    }
    static let path = Self("a path without '.' and '..' segments, such as drive/v3/", upTo: 256) { Self.isPath($0) }
    static let template = Self("a path with parameters in braces, such as files/{fileId}", upTo: 512) {
        Self.isTemplate($0)
    }
    /// The grammar of RFC 6749, section 3.3.
    static let scope = Self("a scope as defined in RFC 6749", upTo: 512) {
        !$0.isEmpty && $0.allSatisfy { $0 == 0x21 || 0x23...0x5B ~= $0 || 0x5D...0x7E ~= $0 }
    }

    // MARK: Other values

    static let number = Self("a number", upTo: 32) { text in
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
        let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { 0x30...0x39 ~= $0 } }
    }
    static let pattern = Self("a regular expression in printable ASCII characters", upTo: 4_096) {
        $0.allSatisfy { 0x20...0x7E ~= $0 }
    }
    static let defaultValue = Self("text", upTo: 4_096) { _ in true }
    /// A title or description.
    static let prose = Self("text", upTo: 1 << 16) { _ in true }
}

// MARK: - Grammar

extension FieldRule {
    private static func text(_ expectation: String, of others: StaticString, upTo limit: Int) -> Self {
        Self(expectation, upTo: limit) { Self.isText($0, of: others) }
    }

    private static func word(_ expectation: String, of others: StaticString, upTo limit: Int) -> Self {
        Self(expectation, upTo: limit) { $0.first?.isASCIILetter == true && Self.isText($0, of: others) }
    }

    private static func oneOf(_ values: [String]) -> Self {
        Self("one of " + values.joined(separator: ", "), upTo: 32) { text in
            values.contains { text.elementsEqual($0.utf8) }
        }
    }

    /// Whether the text is not empty and consists only of letters, digits and the other permitted characters.
    private static func isText(_ text: Substring.UTF8View, of others: StaticString) -> Bool {
        others.withUTF8Buffer { others in
            !text.isEmpty && text.allSatisfy { $0.isASCIIAlphanumeric || others.contains($0) }
        }
    }

    private static func rest(of text: Substring.UTF8View, after start: String) -> Substring.UTF8View? {
        text.starts(with: start.utf8) ? text.dropFirst(start.utf8.count) : nil
    }

    private static func isHostAndPath(_ text: Substring.UTF8View) -> Bool {
        let path = text.drop { $0 != UInt8(ascii: "/") }
        return Self.isHost(text[..<path.startIndex]) && Self.isPath(path.dropFirst())
    }

    /// Whether the text is a host with an optional port.
    private static func isHost(_ text: Substring.UTF8View) -> Bool {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2, host.first?.isASCIIAlphanumeric == true,
            host.last?.isASCIIAlphanumeric == true
        else { return false }
        let port = parts.count == 2 ? parts[1] : "443"[...].utf8
        return Self.isText(host, of: "-.") && 1...5 ~= port.count && port.allSatisfy { 0x30...0x39 ~= $0 }
    }

    /// Whether the text is a relative path without dot segments.
    ///
    /// Only the last segment may be empty.
    private static func isPath(_ text: Substring.UTF8View) -> Bool {
        let steps = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return steps.dropLast().allSatisfy(Self.isStep)
            && (steps.last?.isEmpty ?? true || Self.isStep(steps[steps.count - 1]))
    }

    private static func isStep(_ text: Substring.UTF8View) -> Bool {
        Self.isText(text, of: "-._~") && !Self.isDots(text)
    }

    private static func isDots(_ text: Substring.UTF8View) -> Bool {
        text.elementsEqual(".".utf8) || text.elementsEqual("..".utf8)
    }

    private static func isTemplate(_ text: Substring.UTF8View) -> Bool {
        var rest = text
        while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
            guard Self.isLiteral(rest[..<open]), let close = rest[open...].firstIndex(of: UInt8(ascii: "}")) else {
                return false
            }
            let name = rest[rest.index(after: open)..<close]
            guard Self.isText(name.first == UInt8(ascii: "+") ? name.dropFirst() : name, of: "_-.$@") else {
                return false
            }
            rest = rest[rest.index(after: close)...]
        }
        return Self.isLiteral(rest) && !text.isEmpty
            && !text.split(separator: UInt8(ascii: "/")).contains(where: Self.isDots)
    }

    private static func isLiteral(_ text: Substring.UTF8View) -> Bool {
        text.isEmpty || Self.isText(text, of: "-._~:@$+/")
    }
}

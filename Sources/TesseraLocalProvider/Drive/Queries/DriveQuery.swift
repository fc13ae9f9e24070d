// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The parameter `q` of `files.list`.
///
/// - SeeAlso: [Search query terms and operators](https://developers.google.com/workspace/drive/api/guides/ref-search-terms)
struct DriveQuery: Sendable, Hashable {
    private let condition: DriveCondition

    init(_ text: String) throws(APIFailure) {
        var parser = DriveQueryParser(words: try DriveQueryWord.words(text)[...])
        self.condition = try parser.whole()
    }

    func matches(_ file: DriveFile, for access: DriveAccess) -> Bool {
        self.condition.matches(file, for: access)
    }
}

/// Reads a query's words: `or` binds less than `and`, `and` less than `not`.
struct DriveQueryParser {
    /// How many terms a query has at most, and how deep its brackets go.
    private static let limit = 64

    private var words: ArraySlice<DriveQueryWord>
    private var count = 0

    init(words: ArraySlice<DriveQueryWord>) { self.words = words }

    mutating func whole() throws(APIFailure) -> DriveCondition {
        let condition = try self.alternatives(depth: 0)
        guard self.words.isEmpty else { throw DriveQueryWord.failure }
        return condition
    }

    private mutating func alternatives(depth: Int) throws(APIFailure) -> DriveCondition {
        var condition = try self.conjunction(depth: depth)
        while self.take(.word("or")) { condition = .or(condition, try self.conjunction(depth: depth)) }
        return condition
    }

    private mutating func conjunction(depth: Int) throws(APIFailure) -> DriveCondition {
        var condition = try self.negation(depth: depth)
        while self.take(.word("and")) { condition = .and(condition, try self.negation(depth: depth)) }
        return condition
    }

    private mutating func negation(depth: Int) throws(APIFailure) -> DriveCondition {
        guard depth < Self.limit else { throw DriveQueryWord.failure }
        if self.take(.word("not")) { return .not(try self.negation(depth: depth + 1)) }
        guard self.take(.sign("(")) else { return try self.term() }
        let condition = try self.alternatives(depth: depth + 1)
        guard self.take(.sign(")")) else { throw DriveQueryWord.failure }
        return condition
    }

    private mutating func take(_ word: DriveQueryWord) -> Bool {
        guard self.words.first == word else { return false }
        self.words = self.words.dropFirst()
        return true
    }

    private mutating func term() throws(APIFailure) -> DriveCondition {
        self.count += 1
        guard self.count <= Self.limit, let first = self.words.popFirst(), let second = self.words.popFirst() else {
            throw DriveQueryWord.failure
        }
        if case .word(let name) = first, second == .word("has") { return try self.property(name) }
        guard let third = self.words.popFirst() else { throw DriveQueryWord.failure }
        let condition: DriveCondition? =
            switch (first, second, third) {
            case (.text(let text), .word("in"), .word(let list)): Self.list(text, list)
            case (.word("name"), .word("contains"), .text(let text)): .nameContains(text)
            case (.word("fullText"), .word("contains"), .text(let text)):
                .fullText(text.replacing("\"", with: ""))
            case (.word("mimeType"), .word("contains"), .text(let text)): .mimeTypeContains(text)
            case (.word(let name), .sign(let sign), .text(let text)): Self.comparison(name, sign, text)
            case (.word(let name), .sign(let sign), .word(let value)): Self.flag(name, sign, value)
            default: nil
            }
        guard let condition else { throw DriveQueryWord.failure }
        return condition
    }

    /// `properties has { key='a' and value='b' }`.
    private mutating func property(_ name: String) throws(APIFailure) -> DriveCondition {
        let words = Array(self.words.prefix(9))
        self.words = self.words.dropFirst(9)
        guard ["properties", "appProperties"].contains(name), words.count == 9, case .text(let key) = words[3],
            case .text(let value) = words[7],
            words[0] == .sign("{"), words[1] == .word("key"), words[2] == .sign("="), words[4] == .word("and"),
            words[5] == .word("value"), words[6] == .sign("="), words[8] == .sign("}")
        else { throw DriveQueryWord.failure }
        return .property(name: key, value: value, isPrivate: name == "appProperties")
    }

    private static func list(_ text: String, _ list: String) -> DriveCondition? {
        switch list {
        case "parents": .inParents(text)
        case "owners": .people(email: text, atLeast: .owner)
        case "writers": .people(email: text, atLeast: .writer)
        case "readers": .people(email: text, atLeast: .reader)
        default: nil
        }
    }

    private static func comparison(_ name: String, _ sign: String, _ text: String) -> DriveCondition? {
        guard let comparison = DriveCondition.Comparison(rawValue: sign) else { return nil }
        let isEquality = comparison == .equal || comparison == .notEqual
        switch name {
        case "name": return isEquality ? .name(comparison, text) : nil
        case "mimeType": return isEquality ? .mimeType(comparison, text) : nil
        case "visibility":
            guard isEquality, ["anyoneCanFind", "anyoneWithLink", "limited"].contains(text) else { return nil }
            return .visibility(isLimited: (text == "limited") == (comparison == .equal))
        default:
            guard let field = DriveCondition.Time(rawValue: name), let date = RFC3339.date(text) else { return nil }
            return .time(field, comparison, date)
        }
    }

    private static func flag(_ name: String, _ sign: String, _ value: String) -> DriveCondition? {
        guard let flag = DriveCondition.Flag(rawValue: name), ["=", "!="].contains(sign),
            ["true", "false"].contains(value)
        else { return nil }
        return .flag(flag, (value == "true") == (sign == "="))
    }
}

/// One word of a query.
enum DriveQueryWord: Sendable, Hashable {
    case word(String)
    /// What stood in quotation marks.
    case text(String)
    /// A sign: a comparison, or a bracket.
    case sign(String)

    static let failure = APIFailure.invalid("q")

    static func words(_ text: String) throws(APIFailure) -> [Self] {
        var words: [Self] = []
        var rest = Substring(text)
        while let character = rest.first {
            switch character {
            case " ", "\t", "\n":
                rest = rest.dropFirst()
            case "'":
                rest = rest.dropFirst()
                words.append(.text(try self.quoted(&rest)))
            case "=", "(", ")", "{", "}":
                rest = rest.dropFirst()
                words.append(.sign(String(character)))
            case "!", "<", ">":
                let sign = rest.dropFirst().first == "=" ? "\(character)=" : String(character)
                guard sign != "!" else { throw self.failure }
                rest = rest.dropFirst(sign.count)
                words.append(.sign(sign))
            default:
                let word = rest.prefix { $0.isASCII && $0.isLetter }
                guard !word.isEmpty else { throw self.failure }
                rest = rest.dropFirst(word.count)
                words.append(.word(String(word)))
            }
        }
        return words
    }

    /// The rest of a quoted text; a backslash takes the next character as it is.
    private static func quoted(_ rest: inout Substring) throws(APIFailure) -> String {
        var text = ""
        while let character = rest.popFirst() {
            switch character {
            case "'": return text
            case "\\":
                guard let next = rest.popFirst() else { throw self.failure }
                text.append(next)
            default: text.append(character)
            }
        }
        throw self.failure
    }
}
#endif

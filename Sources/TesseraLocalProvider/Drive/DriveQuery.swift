// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraSupport

/// The `q` parameter of `files.list`.
///
/// The operators, from highest to lowest precedence, are `not`, `and` and `or`.
///
/// - SeeAlso: [Search query terms and
///   operators](https://developers.google.com/workspace/drive/api/guides/ref-search-terms)
struct DriveQuery: Sendable {
    typealias Condition = @Sendable (DriveFile, APICall) -> Bool

    let matches: Condition

    init(_ text: String) throws(APIFailure) {
        var parser = DriveQueryParser(words: try DriveQueryWord.words(text)[...])
        self.matches = try parser.whole()
    }
}

private struct DriveQueryParser {
    typealias Condition = DriveQuery.Condition

    /// The maximum number of terms and the maximum depth of parentheses.
    private static let limit = 64

    var words: ArraySlice<DriveQueryWord>
    private var count = 0

    init(words: ArraySlice<DriveQueryWord>) { self.words = words }

    mutating func whole() throws(APIFailure) -> Condition {
        let condition = try self.alternatives(depth: 0)
        guard self.words.isEmpty else { throw DriveQueryWord.failure }
        return condition
    }

    private mutating func alternatives(depth: Int) throws(APIFailure) -> Condition {
        var all = [try self.conjunction(depth: depth)]
        while self.take(.word("or")) { all.append(try self.conjunction(depth: depth)) }
        return { [all] file, access in all.contains { $0(file, access) } }
    }

    private mutating func conjunction(depth: Int) throws(APIFailure) -> Condition {
        var all = [try self.negation(depth: depth)]
        while self.take(.word("and")) { all.append(try self.negation(depth: depth)) }
        return { [all] file, access in all.allSatisfy { $0(file, access) } }
    }

    private mutating func negation(depth: Int) throws(APIFailure) -> Condition {
        guard depth < Self.limit else { throw DriveQueryWord.failure }
        if self.take(.word("not")) {
            let condition = try self.negation(depth: depth + 1)
            return { !condition($0, $1) }
        }
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

    private mutating func term() throws(APIFailure) -> Condition {
        self.count += 1
        guard self.count <= Self.limit, let first = self.words.popFirst(), let second = self.words.popFirst() else {
            throw DriveQueryWord.failure
        }
        if case .word(let name) = first, second == .word("has") { return try self.property(name) }
        guard let third = self.words.popFirst() else { throw DriveQueryWord.failure }
        let condition: Condition? =
            switch (first, second, third) {
            case (.text(let text), .word("in"), .word(let list)): Self.list(text, list)
            case (.word(let name), .word("contains"), .text(let text)): Self.contains(name, text)
            case (.word(let name), .sign(let sign), .text(let text)): Self.comparison(name, sign, text)
            case (.word(let name), .sign(let sign), .word(let value)): Self.flag(name, sign, value)
            default: nil
            }
        guard let condition else { throw DriveQueryWord.failure }
        return condition
    }

    /// Parses `properties has { key='a' and value='b' }`.
    private mutating func property(_ name: String) throws(APIFailure) -> Condition {
        let words = Array(self.words.prefix(9))
        self.words = self.words.dropFirst(9)
        guard ["properties", "appProperties"].contains(name), words.count == 9, case .text(let key) = words[3],
            case .text(let value) = words[7],
            words[0] == .sign("{"), words[1] == .word("key"), words[2] == .sign("="), words[4] == .word("and"),
            words[5] == .word("value"), words[6] == .sign("="), words[8] == .sign("}")
        else { throw DriveQueryWord.failure }
        if name == "properties" { return { file, _ in file.properties[key] == value } }
        return { file, access in file.applicationProperties[access.clientID]?[key] == value }
    }

    private static func list(_ text: String, _ list: String) -> Condition? {
        let roles = ["owners": DriveRole.owner, "writers": .writer, "readers": .reader]
        if list == "parents" { return { file, _ in file.parents.contains(text) } }
        guard let role = roles[list] else { return nil }
        let email = text.lowercased()
        return { file, access in
            if email == "me" || email == access.account.email.lowercased() {
                return file.role(of: access.account) ?? .reader >= role
            }
            return file.allPermissions(access).contains { $0.email?.lowercased() == email && $0.role >= role }
        }
    }

    private static func contains(_ name: String, _ text: String) -> Condition? {
        switch name {
        case "name": return { file, _ in Self.hasWord(file.name, startingWith: text) }
        case "mimeType": return { file, _ in file.mimeType.contains(text) }
        case "fullText":
            let words = text.replacing("\"", with: "").split(separator: " ").map(String.init)
            return { file, _ in
                words.allSatisfy { word in
                    [file.name, file.description ?? ""].contains { Self.hasWord($0, startingWith: word) }
                }
            }
        default: return nil
        }
    }

    private static func comparison(_ name: String, _ sign: String, _ text: String) -> Condition? {
        let isEquality = sign == "="
        switch name {
        case "name", "mimeType", "visibility":
            guard ["=", "!="].contains(sign) else { return nil }
            if name == "name" { return { file, _ in (file.name.lowercased() == text.lowercased()) == isEquality } }
            if name == "mimeType" { return { file, _ in (file.mimeType == text) == isEquality } }
            guard ["anyoneCanFind", "anyoneWithLink", "limited"].contains(text) else { return nil }
            let isOpen = (text == "limited") != isEquality
            return { file, access in file.allPermissions(access).contains { $0.type == .anyone } == isOpen }
        default:
            guard let date = RFC3339.date(text), let holds = Self.orders[sign], let time = Self.times[name] else {
                return nil
            }
            return { file, _ in time(file).map { holds($0, date) } ?? false }
        }
    }

    private static let orders: [String: @Sendable (Date, Date) -> Bool] = [
        "=": { $0 == $1 }, "!=": { $0 != $1 }, "<": { $0 < $1 }, "<=": { $0 <= $1 }, ">": { $0 > $1 },
        ">=": { $0 >= $1 },
    ]

    private static let times: [String: @Sendable (DriveFile) -> Date?] = [
        "createdTime": { $0.createdTime }, "modifiedTime": { $0.modifiedTime },
        "viewedByMeTime": { $0.viewedTime }, "sharedWithMeTime": { _ in nil },
    ]

    private static func flag(_ name: String, _ sign: String, _ value: String) -> Condition? {
        guard ["=", "!="].contains(sign), ["true", "false"].contains(value) else { return nil }
        let expected = (value == "true") == (sign == "=")
        switch name {
        case "trashed": return { file, _ in file.isInTrash == expected }
        case "starred": return { file, _ in file.isStarred == expected }
        case "sharedWithMe": return { file, access in !file.isOwned(by: access.account) == expected }
        default: return nil
        }
    }

    /// Returns whether any word begins with the given text.
    ///
    /// In Google Drive, `contains 'World'` does not match `HelloWorld`.
    private static func hasWord(_ text: String, startingWith part: String) -> Bool {
        let (text, part) = (text.lowercased(), part.lowercased())
        if part.isEmpty { return true }
        var rest = text[...]
        while let range = rest.firstRange(of: part) {
            let before = text[..<range.lowerBound].last
            if before.map({ !$0.isLetter && !$0.isNumber }) ?? true { return true }
            rest = rest[rest.index(after: range.lowerBound)...]
        }
        return false
    }
}

enum DriveQueryWord: Sendable, Hashable {
    case word(String)
    /// Text enclosed in quotation marks.
    case text(String)
    /// A comparison operator, a parenthesis or a brace.
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

    /// Parses the rest of a quoted text, where a backslash escapes the next character.
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

/// The `orderBy` parameter of `files.list`, which lists sort keys in order of decreasing priority.
struct DriveOrder: Sendable {
    enum Key: String, Sendable {
        case createdTime, folder, modifiedByMeTime, modifiedTime, name
        case naturalName = "name_natural"
        case quotaBytesUsed, recency, sharedWithMeTime, starred, viewedByMeTime
    }

    private var keys: [(key: Key, isDescending: Bool)] = []

    /// Parses sort keys.
    ///
    /// By default, files are sorted by name.
    init(_ text: String?) throws(APIFailure) {
        for part in (text ?? "name").split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: " ").map(String.init)
            guard (1...2).contains(words.count), let key = Key(rawValue: words[0]),
                words.count == 1 || words[1] == "desc"
            else { throw .invalid("orderBy") }
            self.keys.append((key, words.count == 2))
        }
    }

    func sorted(_ files: [DriveFile]) -> [DriveFile] {
        files.sorted { left, right in
            for (key, isDescending) in self.keys {
                let order = Self.compare(left, right, key)
                if order != 0 { return isDescending ? order > 0 : order < 0 }
            }
            return left.id < right.id
        }
    }

    private static func compare(_ left: DriveFile, _ right: DriveFile, _ key: Key) -> Int {
        switch key {
        case .name: self.compare(left.name.lowercased(), right.name.lowercased())
        case .naturalName: self.compareNaturally(left.name.lowercased()[...], right.name.lowercased()[...])
        case .createdTime: self.compare(left.createdTime, right.createdTime)
        case .modifiedTime, .modifiedByMeTime, .recency: self.compare(left.modifiedTime, right.modifiedTime)
        case .viewedByMeTime, .sharedWithMeTime:
            self.compare(left.viewedTime ?? .distantPast, right.viewedTime ?? .distantPast)
        // Folders and starred files come first.
        case .folder: self.compare(left.isFolder ? 0 : 1, right.isFolder ? 0 : 1)
        case .starred: self.compare(left.isStarred ? 0 : 1, right.isStarred ? 0 : 1)
        case .quotaBytesUsed: self.compare(left.size ?? 0, right.size ?? 0)
        }
    }

    private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }

    /// Compares names numerically where they contain digits, so that 2 comes before 10.
    private static func compareNaturally(_ left: Substring, _ right: Substring) -> Int {
        var (left, right) = (left, right)
        while let first = left.first, let second = right.first {
            let digits = (left.prefix(while: \.isASCIIDigit), right.prefix(while: \.isASCIIDigit))
            if digits.0.isEmpty || digits.1.isEmpty {
                if first != second { return self.compare(first, second) }
                (left, right) = (left.dropFirst(), right.dropFirst())
            } else {
                let numbers = (digits.0.drop { $0 == "0" }, digits.1.drop { $0 == "0" })
                let order = self.compare(numbers.0.count, numbers.1.count)
                if order != 0 { return order }
                if numbers.0 != numbers.1 { return self.compare(numbers.0, numbers.1) }
                (left, right) = (left.dropFirst(digits.0.count), right.dropFirst(digits.1.count))
            }
        }
        return self.compare(left.count, right.count)
    }
}
#endif

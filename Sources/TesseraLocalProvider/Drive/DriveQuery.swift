// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The parameter `q` of `files.list`: terms joined by `and`.
struct DriveQuery: Sendable, Hashable {
    enum Term: Sendable, Hashable {
        case name(String)
        case nameContains(String)
        case mimeType(String)
        case mimeTypeIsNot(String)
        case trashed(Bool)
        case inRoot
    }

    let terms: [Term]

    init(_ text: String) throws(DriveFailure) {
        var words = try Self.words(text)[...]
        var terms: [Term] = []
        while !words.isEmpty {
            if !terms.isEmpty {
                guard words.popFirst() == .word("and") else { throw Self.failure }
            }
            guard words.count >= 3 else { throw Self.failure }
            terms.append(try Self.term(words.prefix(3)))
            words = words.dropFirst(3)
        }
        self.terms = terms
    }

    func matches(_ file: DriveFile) -> Bool {
        self.terms.allSatisfy { term in
            switch term {
            case .name(let name): file.name.lowercased() == name.lowercased()
            case .nameContains(let part): Self.hasWord(file.name.lowercased(), startingWith: part.lowercased())
            case .mimeType(let type): file.mimeType == type
            case .mimeTypeIsNot(let type): file.mimeType != type
            case .trashed(let isTrashed): !isTrashed
            case .inRoot: true
            }
        }
    }

    /// Google matches the beginnings of words only: `contains 'Hello'` finds `HelloWorld`, `'World'` does not.
    private static func hasWord(_ name: String, startingWith part: String) -> Bool {
        if part.isEmpty { return true }
        var rest = name[...]
        while let range = rest.firstRange(of: part) {
            let before = name[..<range.lowerBound].last
            if before.map({ !$0.isLetter && !$0.isNumber }) ?? true { return true }
            rest = rest[rest.index(after: range.lowerBound)...]
        }
        return false
    }

    private enum Word: Equatable {
        case word(String)
        case text(String)
    }

    private static let failure = DriveFailure.invalid("q")

    private static func term(_ words: ArraySlice<Word>) throws(DriveFailure) -> Term {
        let three = Array(words)
        switch (three[0], three[1], three[2]) {
        case (.word("name"), .word("="), .text(let text)): return .name(text)
        case (.word("name"), .word("contains"), .text(let text)): return .nameContains(text)
        case (.word("mimeType"), .word("="), .text(let text)): return .mimeType(text)
        case (.word("mimeType"), .word("!="), .text(let text)): return .mimeTypeIsNot(text)
        case (.word("trashed"), .word("="), .word("false")): return .trashed(false)
        case (.word("trashed"), .word("="), .word("true")): return .trashed(true)
        case (.text("root"), .word("in"), .word("parents")): return .inRoot
        default: throw self.failure
        }
    }

    private static func words(_ text: String) throws(DriveFailure) -> [Word] {
        var words: [Word] = []
        var rest = Substring(text)
        while let character = rest.first {
            switch character {
            case " ":
                rest = rest.dropFirst()
            case "'":
                rest = rest.dropFirst()
                words.append(.text(try self.quoted(&rest)))
            case "=":
                rest = rest.dropFirst()
                words.append(.word("="))
            case "!":
                guard rest.hasPrefix("!=") else { throw self.failure }
                rest = rest.dropFirst(2)
                words.append(.word("!="))
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
    private static func quoted(_ rest: inout Substring) throws(DriveFailure) -> String {
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

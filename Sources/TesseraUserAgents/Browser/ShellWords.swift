// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Splits a command line into words as a POSIX shell would, without any of a shell's expansions.
enum ShellWords {
    /// The words; nil when a quotation does not end.
    static func split(_ line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var rest = line[...]
        while let character = rest.popFirst() {
            switch (quote, character) {
            case (nil, " "), (nil, "\t"), (nil, "\n"):
                if let word { words.append(word) }
                word = nil
            case (nil, "'"), (nil, "\""):
                quote = character
                word = word ?? ""
            case (let open?, character) where open == character:
                quote = nil
            case (nil, "\\"):
                guard let next = rest.popFirst() else { return nil }
                word = (word ?? "") + String(next)
            case ("\"", "\\"):
                guard let next = rest.popFirst() else { return nil }
                word = (word ?? "") + ("\"\\$`".contains(next) ? String(next) : "\\\(next)")
            default:
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { return nil }
        if let word { words.append(word) }
        return words
    }
}

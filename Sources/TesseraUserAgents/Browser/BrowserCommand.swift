// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What opens the person's own browser.
public enum BrowserCommand: Sendable, Hashable {
    /// `$BROWSER` where it is set, else the system's opener; nothing over SSH and without a display.
    case automatic
    /// A command line: words, quoted as in a shell but seen by none; `%s` is replaced by the address, which is appended
    /// where there is no `%s`.
    ///
    /// The address is not the provider's, which other users could read in the command line. It is the address of a page
    /// that leads there: `file:` for a compiled program, `http://127.0.0.1` for a script and for a program in a sandbox.
    ///
    /// A command that cannot be found or started ends the sign-in with `SignInError` `noBrowser`.
    case command(String)
    /// Nothing: the address is announced for the person to open by hand, here or on another machine.
    case none

    /// The command lines to try, one after the other.
    ///
    /// `$BROWSER` is read as `xdg-open` and Python's `webbrowser` read it: several commands with colons between them.
    func commandLines(environment: [String: String]) -> [BrowserCommandLine] {
        let lines: [String] =
            switch self {
            case .none: []
            case .command(let line): [line]
            case .automatic:
                if let browser = environment["BROWSER"], !browser.isEmpty {
                    browser.split(separator: ":").map(String.init)
                } else {
                    []
                }
            }
        return lines.compactMap { line in
            guard var words = ShellWords.split(line) else { return nil }
            if words.last == "&" { words.removeLast() }
            return words.isEmpty ? nil : BrowserCommandLine(words: words)
        }
    }
}

/// The words that start a program which opens a browser.
struct BrowserCommandLine: Sendable, Hashable {
    let words: [String]

    /// The words with the address in the place of `%s`, or at the end where there is no `%s`.
    func filled(with address: String) -> [String] {
        let filled = self.words.map { Self.replace("%s", in: $0, by: address) }
        return filled == self.words ? self.words + [address] : filled
    }

    private static func replace(_ mark: String, in word: String, by text: String) -> String {
        var rest = word[...]
        var result = ""
        while let index = rest.firstIndex(of: "%"), rest.index(after: index) < rest.endIndex {
            result += rest[..<index]
            rest = rest[index...]
            if rest.hasPrefix(mark) {
                result += text
                rest = rest.dropFirst(mark.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result + rest
    }
}

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

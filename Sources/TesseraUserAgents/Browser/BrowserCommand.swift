// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The command that opens the user's browser.
public enum BrowserCommand: Sendable, Hashable {
    /// `$BROWSER` if it is set, or the system's opener if it is not.
    ///
    /// No browser is opened over SSH or if there is no display.
    case automatic
    /// A command line, which is split into words like a shell command but run without a shell.
    ///
    /// `%s` is replaced by an address. If there is no `%s`, the address is appended. Because other users could read the
    /// provider's address in the command line, the command gets the address of a page that leads there instead. This is
    /// a `file:` URL for a compiled program, and an `http://127.0.0.1` URL for a script or a sandboxed program.
    ///
    /// If the command cannot be found or started, the sign-in ends with `SignInError` `noBrowser`.
    case command(String)
    /// No browser is opened.
    ///
    /// The user opens the announced address on this machine or another one.
    case none

    /// Returns the command lines to try, in order.
    ///
    /// As in `xdg-open` and Python's `webbrowser`, `$BROWSER` is a list of commands separated by colons.
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

/// The command line for a program that opens a browser, split into words.
struct BrowserCommandLine: Sendable, Hashable {
    let words: [String]

    /// Returns the words with `%s` replaced by the address.
    ///
    /// If there is no `%s`, the address is appended.
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

/// Splits a command line into words as a POSIX shell would, without performing expansions.
enum ShellWords {
    /// Returns the words, or nil if a quotation mark is missing its counterpart.
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

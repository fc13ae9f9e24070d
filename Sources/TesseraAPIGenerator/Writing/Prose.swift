// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Google's descriptions, shortened according to the options.
struct Prose {
    let documentation: GeneratorOptions.Documentation

    /// Returns the description, its first sentence or an empty string, depending on the options.
    func text(_ description: String) -> String {
        var clean = description.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // The generated code states these facts in a uniform way.
        for prefix in ["Output only. ", "[Output Only] ", "Required. ", "Optional. "] where clean.hasPrefix(prefix) {
            clean = String(clean.dropFirst(prefix.count))
        }
        switch self.documentation {
        case .none: return ""
        case .short: return Self.firstSentence(clean)
        case .full: return clean
        }
    }

    /// Returns the description as a sentence, or the name if there is no description.
    func summary(_ description: String, of name: String) -> String {
        let text = self.text(description)
        return text.isEmpty ? "`\(name)`" : text.withFullStop
    }

    /// Returns the attribute for a deprecated declaration, including the reason from its description if there is one.
    func deprecation(_ description: String) -> String {
        let reason = self.documentation == .none ? "" : Self.reason(description)
        let message = (1...160).contains(reason.count) ? reason.withFullStop : "Deprecated in the API."
        return "@available(*, deprecated, message: \(SwiftLiteral.quoted(message)))"
    }

    /// Returns the sentence or parenthesis after `Deprecated:` or `**DEPRECATED**`, or an empty string if there is
    /// none.
    private static func reason(_ description: String) -> String {
        let words = description.split(whereSeparator: \.isWhitespace)
        let isMark = { (word: Substring) in word == "Deprecated:" || word.hasPrefix("**DEPRECATED**") }
        guard let mark = words.firstIndex(where: isMark) else { return "" }
        var reason: [Substring] = []
        for word in words[(mark + 1)...] {
            reason.append(word)
            if reason == ["Output", "only."] {
                reason = []
            } else if word.hasSuffix(".") || word.hasSuffix(")") {
                break
            }
        }
        return reason.joined(separator: " ").replacing("(", with: "").replacing(")", with: "")
    }

    /// Returns the first sentence of the text.
    ///
    /// A long sentence is truncated.
    private static func firstSentence(_ text: String) -> String {
        var sentence = ""
        var words = text.split(separator: " ")[...]
        while let word = words.popFirst() {
            sentence += (sentence.isEmpty ? "" : " ") + word
            let isAbbreviation = ["e.g.", "i.e.", "etc.", "vs.", "(e.g.", "(i.e."].contains { word.lowercased() == $0 }
            if word.hasSuffix("."), !isAbbreviation, Self.isBalanced(sentence) { break }
            if sentence.count > 240, Self.isBalanced(sentence) {
                sentence += " …"
                break
            }
        }
        return sentence
    }

    /// Whether every link, code span and parenthesis is closed.
    private static func isBalanced(_ text: String) -> Bool {
        var (round, square, ticks) = (0, 0, 0)
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "("): round += 1
            case UInt8(ascii: ")"): round -= 1
            case UInt8(ascii: "["): square += 1
            case UInt8(ascii: "]"): square -= 1
            case UInt8(ascii: "`"): ticks += 1
            default: break
            }
        }
        return round <= 0 && square <= 0 && ticks % 2 == 0
    }
}

extension String {
    /// The text with a period at its end.
    var withFullStop: String { self.isEmpty || self.hasSuffix(".") || self.hasSuffix("…") ? self : self + "." }
}

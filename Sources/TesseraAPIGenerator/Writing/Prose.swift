// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Google's descriptions, as much of them as is wanted.
struct Prose {
    let documentation: GeneratorOptions.Documentation

    /// A description: its first sentence, all of it, or nothing.
    func text(_ description: String) -> String {
        var clean = description.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // Whether only the API sets it, and whether it is needed, is said in words of our own.
        for prefix in ["Output only. ", "[Output Only] ", "Required. ", "Optional. "] where clean.hasPrefix(prefix) {
            clean = String(clean.dropFirst(prefix.count))
        }
        switch self.documentation {
        case .none: return ""
        case .short: return Self.firstSentence(clean)
        case .full: return clean
        }
    }

    /// The description as a sentence, or the name if the description is missing.
    func summary(_ description: String, of name: String) -> String {
        let text = self.text(description)
        return text.isEmpty ? "`\(name)`" : text.withFullStop
    }

    /// The attribute of what the API deprecates, with what its description says after `Deprecated:` or `**DEPRECATED**`.
    func deprecation(_ description: String) -> String {
        let reason = self.documentation == .none ? "" : Self.reason(description)
        let message = (1...160).contains(reason.count) ? reason.withFullStop : "The API deprecates it."
        return "@available(*, deprecated, message: \(SwiftLiteral.quoted(message)))"
    }

    /// The sentence or the parenthesis after the mark of a deprecation; empty where there is none.
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

    /// Up to the first full stop that ends a sentence; a list or a long sentence is cut.
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

    /// Whether no link, code or parenthesis is open.
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
    /// With a full stop at its end.
    var withFullStop: String { self.isEmpty || self.hasSuffix(".") || self.hasSuffix("…") ? self : self + "." }
}

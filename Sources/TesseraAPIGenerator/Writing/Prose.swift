// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Google's descriptions, as much of them as is wanted.
package struct Prose {
    let documentation: GeneratorOptions.Documentation

    package init(documentation: GeneratorOptions.Documentation) { self.documentation = documentation }

    /// A description: its first sentence, all of it, or nothing.
    package func text(_ description: String) -> String {
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

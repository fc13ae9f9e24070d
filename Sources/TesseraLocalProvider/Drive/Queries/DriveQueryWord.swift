// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
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

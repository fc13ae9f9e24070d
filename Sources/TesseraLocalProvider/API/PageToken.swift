// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraSupport
internal import TesseraJOSE

/// Where a page of a list starts; a token belongs to the question that it was given for.
enum PageToken {
    static func text(_ start: Int, _ question: String) -> String {
        Base64URL.encode(Array("\(start)|\(question)".utf8))
    }

    /// Nil for a token that is none, or belongs to another question.
    static func start(_ token: String?, _ question: String) -> Int? {
        guard let token else { return 0 }
        guard let bytes = Base64URL.decode(token), let text = String(wellFormedUTF8: bytes),
            let bar = text.firstIndex(of: "|"), let start = Int(text[..<bar]), (0...1_000_000_000).contains(start),
            text[text.index(after: bar)...] == question
        else { return nil }
        return start
    }
}
#endif

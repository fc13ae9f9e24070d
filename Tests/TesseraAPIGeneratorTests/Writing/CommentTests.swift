// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator
internal import TestTraits
internal import Testing

@Suite("Descriptions become comments")
struct CommentTests {
    /// The lines of the comment that a schema with a description has.
    private static func comment(_ description: String) throws -> [String] {
        let document = Documents.document(
            schemas:
                #""Note": {"type": "object", "description": \#(HostileDocument.quoted(description)), "properties": {}}"#
        )
        let files = try Documents.generated(document, GeneratorOptions(documentation: .full))
        let code = try #require(files["Schemas/Note.swift"])
        return code.split(separator: "\n").filter { $0.hasPrefix("    /// ") }.map { String($0.dropFirst(8)) }
    }

    @Test(
        "Markup that starts a block or refers to something else is escaped, other markup is not",
        .covers(128),
        arguments: [
            ("@Metadata { x }", #"\@Metadata { x }."#), ("Mail a@b.example", "Mail a@b.example."),
            ("# Heading", "\\# Heading."), ("- item", #"\- item."#), ("* item", #"\* item."#),
            ("2. item", #"2\. item."#),
            ("*word* and -1", "*word* and -1."), ("> Note: x", #"\> Note: x."#), ("| a |", #"\| a |."#),
            ("--- x", #"\--- x."#), ("~~~ x", #"\~~~ x."#), ("a <b> c", #"a \<b> c."#),
            ("a < b and 1 <= 2", "a < b and 1 <= 2."),
            ("<https://a.example>", #"\<https://a.example>."#), ("</b> <!-- x -->", #"\</b> \<!-- x -->."#),
            ("[a](https://b.example) and [c](http://d.example)", "[a](https://b.example) and [c](http://d.example)."),
            ("[a](javascript:b)", #"[a]\(javascript:b)."#), ("[a](doc:B) [c](/d)", #"[a]\(doc:B) [c]\(/d)."#),
            ("[a](<javascript:b>)", #"[a]\(\<javascript:b>)."#),
            ("[a]: https://b.example", #"[a]\: https://b.example."#),
            ("![a](https://b.example/c)", #"\![a](https://b.example/c)."#), ("``Symbol`` x", #"\`\`Symbol\`\` x."#),
            ("```swift x ```", #"\`\`\`swift x \`\`\`."#), ("`a <b> [c](d)` x", "`a <b> [c](d)` x."),
            ("` <b> x", #"` \<b> x."#), (#"\<b> \\<c>"#, #"\<b> \\\<c>."#), (#"\` <b> ` x"#, #"\` \<b> ` x."#),
            ("`a ``b`` c` <d>", #"`a ``b`` c` \<d>."#), ("Done. 10.", "Done. 10."),
        ]
    )
    func markup(_ description: String, _ line: String) throws {
        #expect(try Self.comment(description).first == line)
    }

    @Test(
        "No character ends the line of a comment, and none that cannot be seen is in it",
        .covers(128),
        arguments: ["\n", "\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"]
    )
    func lineBreaks(_ text: String) throws {
        #expect(try Self.comment("a\(text)b") == ["a b."] + Self.comment("a b").dropFirst())
        #expect(try Self.comment("a\(text)@b").first == "a @b.")
        #expect(try Self.comment("a\u{202E}b\u{200B}\u{FEFF}\u{1B}").first == #"a\u{202e}b\u{200b}\u{feff}\u{1b}."#)
    }

    @Test(
        "A word that begins a line of a wrapped paragraph starts nothing",
        .covers(128),
        arguments: [("@End", #"\@End"#), ("-", #"\-"#), ("10)", #"10\)"#), ("===", #"\==="#)]
    )
    func wrapped(word: String, escaped: String) throws {
        // As long as a line of the comment is.
        let text = String(repeating: "word ", count: 21) + "end "
        let lines = try Self.comment(text + word + " " + text)
        try #require(lines.count > 1, "\(lines)")
        #expect(lines[1].hasPrefix(escaped + " word"), "\(lines)")
    }
}

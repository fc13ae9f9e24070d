// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator
internal import TestTraits
internal import Testing

@Suite("Comments from descriptions")
struct CommentTests {
    /// Returns the lines of the comment that is generated for a description.
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
        "Escapes markup that starts a block or a reference, and preserves other markup",
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
        "Replaces line breaks with spaces and escapes invisible characters",
        .covers(128),
        arguments: ["\n", "\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"]
    )
    func lineBreaks(_ text: String) throws {
        #expect(try Self.comment("a\(text)b") == ["a b."] + Self.comment("a b").dropFirst())
        #expect(try Self.comment("a\(text)@b").first == "a @b.")
        #expect(try Self.comment("a\u{202E}b\u{200B}\u{FEFF}\u{1B}").first == #"a\u{202e}b\u{200b}\u{feff}\u{1b}."#)
    }

    @Test(
        "Escapes a block marker at the start of a wrapped line",
        .covers(128),
        arguments: [("@End", #"\@End"#), ("-", #"\-"#), ("10)", #"10\)"#), ("===", #"\==="#)]
    )
    func wrapped(word: String, escaped: String) throws {
        // The text is as long as a line of the comment.
        let text = String(repeating: "word ", count: 21) + "end "
        let lines = try Self.comment(text + word + " " + text)
        try #require(lines.count > 1, "\(lines)")
        #expect(lines[1].hasPrefix(escaped + " word"), "\(lines)")
    }
}

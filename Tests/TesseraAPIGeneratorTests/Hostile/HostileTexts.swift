// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Texts that attempt to become code, which would call `pwned()`.
enum HostileTexts {
    static let marker = "pwned()"

    /// Characters that some parsers treat as the end of a line.
    private static let lineBreaks = ["\n", "\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}", "\0"]

    static let all: [String] =
        Self.lineBreaks.map { "x\($0)pwned()\($0)// " }
        + Self.lineBreaks.map { "\"\($0)pwned()\($0)// " }
        + Self.lineBreaks.map { "x\\\($0)pwned()\($0)#error(\"pwned()\")" }
        + [
            "\"; pwned() //", "\")\npwned()\nprint(\"", "\\(pwned())", "\\#(pwned())", "\\\\(pwned())", "\\",
            "\\\"; pwned() //",
            "\"\"\"\npwned()\n\"\"\"", "\"\"\"; pwned() //", "#\"\\#(pwned())\"#", "\"+pwned()+\"", "*/ pwned() /*",
            "/* pwned()", "*/", "// pwned()", "`pwned()", "``pwned()``", "```\npwned()\n```", "` ``pwned()`` `",
            "\"\u{301}; pwned() //", "\\\u{301}(pwned())", "\u{301}\"; pwned() //", "\n\u{301}pwned()",
            "\u{202E}pwned()\u{202C}", "\u{2066}pwned()\u{2069}", "\u{202A}\u{202B}\u{202D}\u{2067}\u{2068}pwned()",
            "\u{200E}pwned()\u{200F}", "\u{200B}pwned()\u{FEFF}", "\u{7F}pwned()\u{9B}", "\u{1B}]0;pwned()\u{7}",
            "\u{E000}pwned()\u{FFFE}\u{10FFFF}", "\u{E0001}pwned()", "\u{AD}pwned()",
            "@Metadata { pwned() }", "x. @DeprecationSummary { pwned() }", "@Image(source: pwned())",
            "[x](javascript:pwned())", "![x](https://evil.example/pwned())", "<doc:pwned()>", "[x](doc:pwned())",
            "[x]: javascript:pwned()", "[x](file:///pwned())", "<script>pwned()</script>", "<!-- pwned() -->",
            "- Parameters:\n  - x: pwned()", "- Returns: pwned()", "# pwned()", "> Note: pwned()", "1. pwned()",
            "| a |\n| - |\n| pwned() |", "~~~\npwned()", "===\npwned()", "$(pwned())", "${pwned()}", "%pwned()%",
            "../../pwned()", "/etc/pwned()", "..", ".", ".pwned()", "..\\pwned()", "pwned()/..", "C:\\pwned()",
            "~/pwned()",
            "-pwned()", "import Foundation; pwned()", "}\npwned()\n{", "init() { pwned() }",
            "#sourceLocation(file: \"pwned()\", line: 1)",
            "https://evil.example\"; pwned() //", "javascript:pwned()", "https://a@pwned()/",
            "https://evil.example/\npwned()",
            "{+pwned()}", "{pwned()", "GET\r\nHost: pwned()", "GET pwned()", "", " ",
            String(repeating: "a", count: 300) + "pwned()", String(repeating: "pwned()\n", count: 200),
        ]

    /// Characters that names, paths and URLs of a document cannot contain.
    static let foreign: [String] =
        Self.lineBreaks + [
            "\"", "\\", "`", "(", ")", "{", "}", "<", ">", "^", "|", "\t", "\u{1B}", "\u{7F}", "\u{9B}", "\u{301}",
            "\u{A0}",
            "\u{E9}", "\u{200B}", "\u{200E}", "\u{202E}", "\u{2066}", "\u{FEFF}", "\u{FF0F}", "\u{1F600}",
        ]
}

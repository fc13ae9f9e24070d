// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

/// Text that controls a terminal, and the check that output does not contain it.
enum HostileText {
    /// Text with all kinds of control characters.
    ///
    /// It sets the title and the clipboard (OSC 52), clears the screen, moves the cursor and forges lines. It also
    /// contains the C1 form of an escape sequence, bidirectional controls, zero-width characters, and every kind of
    /// line break.
    static let escape =
        "\u{1B}]0;owned\u{7}\u{1B}]52;c;Zm9v\u{7}\u{1B}[2J\u{1B}[1A\r\nFORGED\nFORGED\u{85}FORGED\u{2028}FORGED"
        + "\u{9B}31m\u{9D}0;x\u{9C}\u{202E}\u{2066}\u{200B}\u{FEFF}\u{7F}\u{8}\u{E0001}\u{E000}"

    /// The part of ``escape`` that HTTP allows in header fields and reason phrases.
    static let header = "\u{9B}31m\u{202E}\u{2066}\u{200B}\u{85}"

    /// Expects that a text contains no control characters and no forged lines.
    static func expectHarmless(
        _ text: String,
        _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
            default: false
            }
        }
        let names = Set(found.map { "U+" + String($0.value, radix: 16, uppercase: true) })
        #expect(names.isEmpty, "\(what) prints \(names.sorted())", sourceLocation: sourceLocation)
        let isForged = text.split(separator: "\n").contains { $0.hasPrefix("FORGED") }
        #expect(!isForged, "\(what) prints a forged line", sourceLocation: sourceLocation)
    }
}

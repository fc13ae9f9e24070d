// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

/// Text that drives a terminal, and the search for it.
enum HostileText {
    /// A new title, a new clipboard (OSC 52), a cleared screen, a moved cursor, forged lines, the C1 form of an escape
    /// sequence, reversed and isolated text, characters without width, and every kind of line break.
    static let escape =
        "\u{1B}]0;owned\u{7}\u{1B}]52;c;Zm9v\u{7}\u{1B}[2J\u{1B}[1A\r\nFORGED\nFORGED\u{85}FORGED\u{2028}FORGED"
        + "\u{9B}31m\u{9D}0;x\u{9C}\u{202E}\u{2066}\u{200B}\u{FEFF}\u{7F}\u{8}\u{E0001}\u{E000}"

    /// The part of it that HTTP lets a header field and a reason phrase hold.
    static let header = "\u{9B}31m\u{202E}\u{2066}\u{200B}\u{85}"

    /// Expects that nothing in a text can drive a terminal, and that no line of it is forged.
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

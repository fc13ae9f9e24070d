// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraUserAgents

/// The file by which a Linux desktop knows which program to start for a private scheme.
///
/// - SeeAlso: [Desktop Entry Specification](https://specifications.freedesktop.org/desktop-entry-spec/latest/)
struct DesktopEntry: Sendable, Hashable {
    let scheme: PrivateScheme
    /// The name that the desktop displays.
    let name: String
    /// The program's path, and arguments before the URL.
    let command: [String]
    /// A name in the icon theme, or a path.
    let icon: String?

    /// The file's name, by which other files name the program; `com.example.app.desktop` could be another program's.
    static func id(of scheme: PrivateScheme) -> String { "tessera-\(scheme.name).desktop" }

    /// Returns the media type of URLs with a scheme.
    static func type(of scheme: PrivateScheme) -> String { "x-scheme-handler/\(scheme.name)" }

    /// The whole file.
    var text: String {
        var lines = [
            "[Desktop Entry]", "Type=Application", "Version=1.0", "Name=\(Self.escaped(self.name))",
            "Exec=\(Self.escaped(self.execLine))",
        ]
        if let icon { lines.append("Icon=\(Self.escaped(icon))") }
        lines += [
            "Terminal=false", "NoDisplay=true", "MimeType=\(Self.type(of: self.scheme));",
            "\(Self.mark)=\(self.scheme.name)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Whether a file was written by this command, for this scheme: no other may be changed or removed.
    static func isOurs(_ text: String, for scheme: PrivateScheme) -> Bool {
        KeyFile(text).value(of: Self.mark, in: "Desktop Entry") == scheme.name
    }

    private static let mark = "X-Tessera-Scheme"

    /// The command line, in which the desktop puts the URL.
    private var execLine: String { (self.command.map(Self.quoted) + ["%u"]).joined(separator: " ") }

    /// A word of a command line.
    ///
    /// One that needs no quotes has none: xdg-open without a desktop does not know them.
    private static func quoted(_ word: String) -> String {
        // "Field codes must not be used inside a quoted argument"; a percent sign is written twice.
        let word = word.unicodeScalars.map { $0 == "%" ? "%%" : String($0) }.joined()
        guard word.isEmpty || word.unicodeScalars.contains(where: Self.reserved.contains) else { return word }
        return "\"" + word.unicodeScalars.map { Self.escapedInQuotes.contains($0) ? "\\\($0)" : "\($0)" }.joined()
            + "\""
    }

    private static let reserved = Set(" \t\n\"'\\><~|&;$*?#()`".unicodeScalars)
    private static let escapedInQuotes = Set("\"`$\\".unicodeScalars)

    /// A value as the file has it: this rule comes after that of quotes.
    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.enumerated()
            .map { index, scalar in
                switch scalar {
                case " " where index == 0: "\\s"
                case "\\": "\\\\"
                case "\n": "\\n"
                case "\t": "\\t"
                case "\r": "\\r"
                default: String(scalar)
                }
            }
            .joined()
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraUserAgents

/// The desktop entry that tells a Linux desktop which program to start for a private scheme.
///
/// - SeeAlso: [Desktop Entry Specification](https://specifications.freedesktop.org/desktop-entry-spec/latest/)
struct DesktopEntry: Sendable, Hashable {
    let scheme: PrivateScheme
    /// The name that the desktop displays.
    let name: String
    /// The program's path and the arguments before the URL.
    let command: [String]
    /// The name of an icon in the icon theme, or a path.
    let icon: String?

    /// Returns the entry's file name, with a prefix that avoids collisions with other programs' entries.
    static func id(of scheme: PrivateScheme) -> String { "tessera-\(scheme.name).desktop" }

    /// Returns the media type for URLs with a scheme.
    static func type(of scheme: PrivateScheme) -> String { "x-scheme-handler/\(scheme.name)" }

    /// The contents of the file.
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

    /// Returns whether this command wrote the file for this scheme, so that the file can be changed or removed.
    static func isOurs(_ text: String, for scheme: PrivateScheme) -> Bool {
        DesktopKeyFile(text).value(of: Self.mark, in: "Desktop Entry") == scheme.name
    }

    private static let mark = "X-Tessera-Scheme"

    /// The command line, in which the desktop replaces `%u` with the URL.
    private var execLine: String { (self.command.map(Self.quoted) + ["%u"]).joined(separator: " ") }

    /// Returns an argument for the command line, in quotes only if it needs them.
    ///
    /// Without a desktop environment, xdg-open does not support quotes.
    private static func quoted(_ word: String) -> String {
        // "Field codes must not be used inside a quoted argument"; a percent sign is written twice.
        let word = word.unicodeScalars.map { $0 == "%" ? "%%" : String($0) }.joined()
        guard word.isEmpty || word.unicodeScalars.contains(where: Self.reserved.contains) else { return word }
        return "\"" + word.unicodeScalars.map { Self.escapedInQuotes.contains($0) ? "\\\($0)" : "\($0)" }.joined()
            + "\""
    }

    private static let reserved = Set(" \t\n\"'\\><~|&;$*?#()`".unicodeScalars)
    private static let escapedInQuotes = Set("\"`$\\".unicodeScalars)

    /// Returns an escaped value for the file, which the specification requires after quoting.
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

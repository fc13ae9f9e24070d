// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Reads a desktop entry according to the specification.
struct EntryReader {
    private let lines: [Substring]

    init(_ text: String) { self.lines = text.split(separator: "\n") }

    /// Returns the unescaped value of a key, or nil if the entry does not contain it.
    func value(_ key: String) -> String? {
        guard let line = self.lines.first(where: { $0.hasPrefix(key + "=") }) else { return nil }
        let escapes: [Unicode.Scalar: Unicode.Scalar] = ["s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"]
        var value = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in line.unicodeScalars.dropFirst(key.unicodeScalars.count + 1) {
            if isEscaped {
                value.append(escapes[scalar] ?? "\u{FFFD}")
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                value.append(scalar)
            }
        }
        return String(value)
    }

    /// Returns the arguments of the command line, with `%u` replaced by a URL.
    func command(for url: String) -> [String] {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var isQuoted = false
        var isEscaped = false
        for scalar in (self.value("Exec") ?? "").unicodeScalars {
            if isEscaped {
                word?.append(scalar)
                isEscaped = false
            } else if isQuoted, scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                isQuoted.toggle()
                word = word ?? String.UnicodeScalarView()
            } else if scalar == " ", !isQuoted {
                if let word { words.append(String(word)) }
                word = nil
            } else {
                word = word ?? String.UnicodeScalarView()
                word?.append(scalar)
            }
        }
        if let word { words.append(String(word)) }
        return words.map {
            $0 == "%u" ? url : $0.split(separator: "%%", omittingEmptySubsequences: false).joined(separator: "%")
        }
    }
}

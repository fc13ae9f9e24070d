// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole

/// A code in letters five lines tall, which can be read from across a room.
struct LargeText {
    /// The five lines, which all have the same width.
    let rows: [String]

    /// Creates the letters, or returns nil if the text has a character other than `A` to `Z`, `0` to `9` or `-`.
    ///
    /// Lowercase letters are not supported, because codes can be case-sensitive.
    init?(_ text: String) {
        var glyphs: [[Substring]] = []
        for character in text {
            guard let glyph = Self.glyphs[character] else { return nil }
            glyphs.append(glyph.split(separator: "/", omittingEmptySubsequences: false))
        }
        guard !glyphs.isEmpty else { return nil }
        self.rows = (0..<5)
            .map { row in
                let line = glyphs.map { String($0[row]) }.joined(separator: "  ")
                return String(line.map { $0 == "#" ? "█" : " " })
            }
    }

    /// The width of the text, in columns.
    var width: Int { self.rows.first?.count ?? 0 }

    /// The rows of each letter from top to bottom, separated by slashes.
    private static let glyphs: [Character: String] = [
        "A": " ### /#   #/#####/#   #/#   #",
        "B": "#### /#   #/#### /#   #/#### ",
        "C": " ####/#    /#    /#    / ####",
        "D": "#### /#   #/#   #/#   #/#### ",
        "E": "#####/#    /#### /#    /#####",
        "F": "#####/#    /#### /#    /#    ",
        "G": " ####/#    /#  ##/#   #/ ####",
        "H": "#   #/#   #/#####/#   #/#   #",
        "I": "###/ # / # / # /###",
        "J": "  ###/   # /   # /#  # / ##  ",
        "K": "#   #/#  # /###  /#  # /#   #",
        "L": "#    /#    /#    /#    /#####",
        "M": "#   #/## ##/# # #/#   #/#   #",
        "N": "#   #/##  #/# # #/#  ##/#   #",
        "O": " ### /#   #/#   #/#   #/ ### ",
        "P": "#### /#   #/#### /#    /#    ",
        "Q": " ### /#   #/# # #/#  # / ## #",
        "R": "#### /#   #/#### /#  # /#   #",
        "S": " ####/#    / ### /    #/#### ",
        "T": "#####/  #  /  #  /  #  /  #  ",
        "U": "#   #/#   #/#   #/#   #/ ### ",
        "V": "#   #/#   #/#   #/ # # /  #  ",
        "W": "#   #/#   #/# # #/## ##/#   #",
        "X": "#   #/ # # /  #  / # # /#   #",
        "Y": "#   #/ # # /  #  /  #  /  #  ",
        "Z": "#####/   # /  #  / #   /#####",
        "0": " ### /#  ##/# # #/##  #/ ### ",
        "1": " # /## / # / # /###",
        "2": "#### /    #/ ### /#    /#####",
        "3": "#### /    #/ ### /    #/#### ",
        "4": "#  # /#  # /#####/   # /   # ",
        "5": "#####/#    /#### /    #/#### ",
        "6": " ### /#    /#### /#   #/ ### ",
        "7": "#####/    #/   # /  #  /  #  ",
        "8": " ### /#   #/ ### /#   #/ ### ",
        "9": " ### /#   #/ ####/    #/ ### ",
        "-": "   /   /###/   /   ",
    ]
}

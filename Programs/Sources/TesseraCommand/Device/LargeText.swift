// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole

/// A code in letters that are five lines high, to be read from across a room.
struct LargeText {
    /// The five lines, each as wide as the others.
    let rows: [String]

    /// The letters of a text; nil where one of them is not `A` to `Z`, `0` to `9` or `-`.
    ///
    /// Small letters have no shape here: a code may tell them from capitals.
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

    /// How many columns the text takes.
    var width: Int { self.rows.first?.count ?? 0 }

    /// Rows from top to bottom, separated by slashes.
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

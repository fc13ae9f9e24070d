// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A QR code of a text: what a telephone's camera reads off a terminal.
///
/// Byte mode, error correction level L, versions 1 to 20: up to 858 bytes.
///
/// - SeeAlso: ISO/IEC 18004
struct QRCode {
    /// How many modules a side has, without the quiet zone.
    let size: Int
    private let modules: [Bool]

    /// A code for the text; nil when it is too long.
    init?(_ text: String) {
        guard let layout = QRCodeLayout(holding: text.utf8.count) else { return nil }
        let codewords = QRCodeCodewords.make(Array(text.utf8), for: layout)
        let plain = QRCodeMatrix(layout, codewords: codewords)
        let masked = (0..<8).map { plain.masked(by: $0) }
        // There are eight, so one of them is the best.
        guard let best = masked.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self.size = layout.size
        self.modules = best.modules
    }

    /// Whether a module is dark; outside of the code all are light.
    func isDark(_ x: Int, _ y: Int) -> Bool {
        (0..<self.size).contains(x) && (0..<self.size).contains(y) && self.modules[y * self.size + x]
    }

    /// The code in half blocks, two modules above each other in one character, with its quiet zone.
    ///
    /// Light modules are drawn and dark ones left out: a terminal's background is dark mostly, and readers take a code
    /// of either kind.
    var terminalText: String {
        let quietZone = 2
        let range = -quietZone..<self.size + quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2)
            .map { y in
                String(
                    range.map { x -> Character in
                        switch (self.isDark(x, y), self.isDark(x, y + 1) || y + 1 >= range.upperBound) {
                        case (false, false): "█"
                        case (false, true): "▀"
                        case (true, false): "▄"
                        case (true, true): " "
                        }
                    }
                )
            }
            .joined(separator: "\n")
    }
}

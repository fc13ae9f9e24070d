// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An opaque colour.
struct ButtonColor: Sendable, Hashable {
    let red: Double
    let green: Double
    let blue: Double

    /// The colour of `0xRRGGBB`.
    init(_ value: UInt32) {
        let part = { (shift: UInt32) in Double((value >> shift) & 0xFF) / 255 }
        (self.red, self.green, self.blue) = (part(16), part(8), part(0))
    }

    init(red: Double, green: Double, blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// This colour under a layer of `other` that covers `share` of it.
    func covered(by other: ButtonColor, share: Double) -> ButtonColor {
        let mix = { (under: Double, over: Double) in under + (over - under) * share }
        return ButtonColor(
            red: mix(self.red, other.red),
            green: mix(self.green, other.green),
            blue: mix(self.blue, other.blue)
        )
    }

    /// As style sheets and SVG write it: `#RRGGBB`.
    var hex: String {
        let digits = [self.red, self.green, self.blue]
            .map { part in
                let text = String(UInt8((min(max(part, 0), 1) * 255).rounded()), radix: 16, uppercase: true)
                return text.count == 1 ? "0" + text : text
            }
        return "#" + digits.joined()
    }
}

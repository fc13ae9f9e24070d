// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A button's colors, according to Google's branding guidelines.
///
/// - SeeAlso: [Sign in with Google Branding Guidelines](https://developers.google.com/identity/branding-guidelines)
struct ButtonColors: Sendable, Hashable {
    let ground: ButtonColor
    let edge: ButtonColor
    let ink: ButtonColor
    /// The opacity of the logo.
    let logoOpacity: Double

    init(_ scheme: GoogleSignInButtonColorScheme, _ state: GoogleSignInButtonState = .normal) {
        let plain = Self.plain(scheme)
        switch state {
        case .normal: self = plain
        case .pressed: self = plain.covered(by: Self.layer(scheme), share: 0.12)
        case .disabled:
            self.init(
                ground: plain.ground,
                edge: plain.ground.covered(by: plain.ink, share: 0.12),
                ink: plain.ground.covered(by: plain.ink, share: Self.disabledOpacity),
                logoOpacity: Self.disabledOpacity
            )
        }
    }

    /// Returns the colors while the pointer is over the button.
    static func hovered(_ scheme: GoogleSignInButtonColorScheme) -> ButtonColors {
        Self.plain(scheme).covered(by: Self.layer(scheme), share: 0.08)
    }

    /// Returns the color of the ring around a button that has keyboard focus.
    static func focusRing(_ scheme: GoogleSignInButtonColorScheme) -> ButtonColor {
        switch scheme {
        case .light: ButtonColor(0x0B57D0)
        case .dark: ButtonColor(0xA8C7FA)
        }
    }

    private static let disabledOpacity = 0.38

    private static func plain(_ scheme: GoogleSignInButtonColorScheme) -> ButtonColors {
        switch scheme {
        case .light: ButtonColors(ground: 0xFFFFFF, edge: 0x747775, ink: 0x1F1F1F)
        case .dark: ButtonColors(ground: 0x131314, edge: 0x8E918F, ink: 0xE3E3E3)
        }
    }

    private static func layer(_ scheme: GoogleSignInButtonColorScheme) -> ButtonColor {
        switch scheme {
        case .light: ButtonColor(0x303030)
        case .dark: ButtonColor(0xFFFFFF)
        }
    }

    private init(ground: UInt32, edge: UInt32, ink: UInt32) {
        self.init(ground: ButtonColor(ground), edge: ButtonColor(edge), ink: ButtonColor(ink), logoOpacity: 1)
    }

    private init(ground: ButtonColor, edge: ButtonColor, ink: ButtonColor, logoOpacity: Double) {
        self.ground = ground
        self.edge = edge
        self.ink = ink
        self.logoOpacity = logoOpacity
    }

    private func covered(by layer: ButtonColor, share: Double) -> ButtonColors {
        ButtonColors(
            ground: self.ground.covered(by: layer, share: share),
            edge: self.edge,
            ink: self.ink,
            logoOpacity: self.logoOpacity
        )
    }
}

/// An opaque color.
struct ButtonColor: Sendable, Hashable {
    let red: Double
    let green: Double
    let blue: Double

    /// Creates a color from a value such as `0xRRGGBB`.
    init(_ value: UInt32) {
        let part = { (shift: UInt32) in Double((value >> shift) & 0xFF) / 255 }
        (self.red, self.green, self.blue) = (part(16), part(8), part(0))
    }

    init(red: Double, green: Double, blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Returns this color blended with `other`.
    ///
    /// The `share` is the opacity of `other`, from 0 to 1.
    func covered(by other: ButtonColor, share: Double) -> ButtonColor {
        let mix = { (under: Double, over: Double) in under + (over - under) * share }
        return ButtonColor(
            red: mix(self.red, other.red),
            green: mix(self.green, other.green),
            blue: mix(self.blue, other.blue)
        )
    }

    /// The color as `#RRGGBB`, for CSS and SVG.
    var hex: String {
        let digits = [self.red, self.green, self.blue]
            .map { part in
                let text = String(UInt8((min(max(part, 0), 1) * 255).rounded()), radix: 16, uppercase: true)
                return text.count == 1 ? "0" + text : text
            }
        return "#" + digits.joined()
    }
}

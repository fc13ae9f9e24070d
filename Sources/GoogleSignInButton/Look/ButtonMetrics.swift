// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The measures of a button, by Google's branding guidelines.
///
/// - SeeAlso: [Sign in with Google Branding Guidelines](https://developers.google.com/identity/branding-guidelines)
struct ButtonMetrics: Sendable, Hashable {
    /// How much larger than at the standard text size everything is.
    private let scale: Double
    private let standardPadding: Double
    private let standardGap: Double

    /// The space at the button's beginning and end.
    var padding: Double { self.standardPadding * self.scale }
    /// The space between logo and text.
    var gap: Double { self.standardGap * self.scale }
    /// The height of a button with one line of text.
    var height: Double { 40 * self.scale }
    /// The side of the logo, which grows with the space around it and never by itself.
    var logo: Double { 20 * self.scale }
    var cornerRadius: Double { 4 * self.scale }
    var fontSize: Double { 14 * self.scale }
    var lineHeight: Double { 20 * self.scale }
    /// The space above and below the text.
    var verticalPadding: Double { (self.height - self.lineHeight) / 2 }
    /// The largest width of a wide button.
    var maximumWidth: Double { 400 * self.scale }
    let edge = 1.0
    /// The smallest area for a finger.
    let touchTarget = 44.0

    /// In a page.
    static let web = ButtonMetrics(padding: 12, gap: 10)
    /// On Apple's systems, at the standard text size.
    static let apple = ButtonMetrics(padding: 16, gap: 12)

    private init(padding: Double, gap: Double, scale: Double = 1) {
        self.standardPadding = padding
        self.standardGap = gap
        self.scale = scale
    }

    /// Returns the measures for a text of another size: the same proportions, and an edge that stays thin.
    func scaled(toFontSize fontSize: Double) -> ButtonMetrics {
        ButtonMetrics(
            padding: self.standardPadding,
            gap: self.standardGap,
            scale: self.scale * fontSize / self.fontSize
        )
    }

    /// The minimum width of a button with a short text.
    ///
    /// It does not grow with the text size: a larger text is wider anyway, and a screen is not.
    func minimumWidth(_ style: GoogleSignInButtonStyle) -> Double {
        switch style {
        case .icon: self.height
        case .standard: 96
        case .wide: 180
        }
    }
}

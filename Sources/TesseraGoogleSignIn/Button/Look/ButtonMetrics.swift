// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The measures of a button, by Google's branding guidelines.
///
/// - SeeAlso: [Sign in with Google Branding Guidelines](https://developers.google.com/identity/branding-guidelines)
struct ButtonMetrics: Sendable, Hashable {
    /// At the button's beginning and end.
    let padding: Double
    /// Between logo and text.
    let gap: Double

    let height = 40.0
    let logo = 20.0
    let cornerRadius = 4.0
    let edge = 1.0
    let fontSize = 14.0
    let lineHeight = 20.0
    /// The least that a finger has to hit.
    let touchTarget = 44.0
    /// A wide button grows to here where there is room.
    let maximumWidth = 400.0

    /// In a page.
    static let web = ButtonMetrics(padding: 12, gap: 10)
    /// On Apple's systems.
    static let apple = ButtonMetrics(padding: 16, gap: 12)

    private init(padding: Double, gap: Double) {
        self.padding = padding
        self.gap = gap
    }

    /// A button is never narrower, however short its text is.
    func minimumWidth(_ style: GoogleSignInButtonStyle) -> Double {
        switch style {
        case .icon: self.height
        case .standard: 96
        case .wide: 180
        }
    }
}

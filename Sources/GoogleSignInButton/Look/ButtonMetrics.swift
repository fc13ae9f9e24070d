// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(CoreGraphics)
internal import CoreGraphics
#endif
internal import Foundation

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

/// Where logo and text stand in a button: side by side, in the middle, the logo at the text's beginning.
struct ButtonLayout: Sendable, Equatable {
    let logo: CGRect
    /// `nil` for a button that is its logo alone.
    let text: CGRect?

    /// Lays out a button whose text was measured in at most ``textRoom(in:metrics:)``.
    init(
        in bounds: CGRect,
        style: GoogleSignInButtonStyle,
        textSize: CGSize,
        isRightToLeft: Bool,
        metrics: ButtonMetrics = .apple
    ) {
        let side = metrics.logo
        let top = { (height: Double) in bounds.minY + (bounds.height - height) / 2 }
        guard style != .icon else {
            self.logo = CGRect(x: bounds.midX - side / 2, y: top(side), width: side, height: side)
            self.text = nil
            return
        }
        let textWidth = min(textSize.width, Self.textRoom(in: bounds.width, metrics: metrics))
        let textHeight = min(textSize.height, bounds.height)
        let start = bounds.midX - (side + metrics.gap + textWidth) / 2
        let logoX = isRightToLeft ? start + textWidth + metrics.gap : start
        let textX = isRightToLeft ? start : start + side + metrics.gap
        self.logo = CGRect(x: logoX, y: top(side), width: side, height: side)
        self.text = CGRect(x: textX, y: top(textHeight), width: textWidth, height: textHeight)
    }

    /// The width that is left for the text in a button.
    static func textRoom(in width: Double, metrics: ButtonMetrics = .apple) -> Double {
        max(0, width - 2 * metrics.padding - metrics.logo - metrics.gap)
    }

    /// Returns the size that a button needs for its content: higher for text in several lines, and never wider than
    /// `width`, unless it is the logo alone.
    static func size(
        style: GoogleSignInButtonStyle,
        textSize: CGSize,
        width: Double = .infinity,
        metrics: ButtonMetrics = .apple
    ) -> CGSize {
        let least = metrics.minimumWidth(style)
        guard style != .icon else { return CGSize(width: least, height: metrics.height) }
        let content = 2 * metrics.padding + metrics.logo + metrics.gap + textSize.width.rounded(.up)
        let height = max(metrics.height, textSize.height.rounded(.up) + 2 * metrics.verticalPadding)
        return CGSize(width: min(max(least, content), width), height: height)
    }

    /// The bounds, extended to the smallest area for a finger.
    static func touchArea(_ bounds: CGRect, metrics: ButtonMetrics = .apple) -> CGRect {
        let missing = { (length: Double) in max(0, metrics.touchTarget - length) / 2 }
        return bounds.insetBy(dx: -missing(bounds.width), dy: -missing(bounds.height))
    }
}

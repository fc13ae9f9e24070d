// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(CoreGraphics)
internal import CoreGraphics
#endif
internal import Foundation

/// A button's dimensions, according to Google's branding guidelines.
///
/// - SeeAlso: [Sign in with Google Branding Guidelines](https://developers.google.com/identity/branding-guidelines)
struct ButtonMetrics: Sendable, Hashable {
    /// The scale of all dimensions relative to the standard text size.
    private let scale: Double
    private let standardPadding: Double
    private let standardGap: Double

    /// The space at the leading and trailing edges.
    var padding: Double { self.standardPadding * self.scale }
    /// The space between the logo and the text.
    var gap: Double { self.standardGap * self.scale }
    /// The height of a button with one line of text.
    var height: Double { 40 * self.scale }
    /// The side length of the logo, which always scales along with the space around it.
    var logo: Double { 20 * self.scale }
    var cornerRadius: Double { 4 * self.scale }
    var fontSize: Double { 14 * self.scale }
    var lineHeight: Double { 20 * self.scale }
    /// The space above and below the text.
    var verticalPadding: Double { (self.height - self.lineHeight) / 2 }
    /// The maximum width of a wide button.
    var maximumWidth: Double { 400 * self.scale }
    let edge = 1.0
    /// The minimum width and height of the touch area.
    let touchTarget = 44.0

    /// The dimensions for web pages.
    static let web = ButtonMetrics(padding: 12, gap: 10)
    /// The dimensions for Apple platforms at the standard text size.
    static let apple = ButtonMetrics(padding: 16, gap: 12)

    private init(padding: Double, gap: Double, scale: Double = 1) {
        self.standardPadding = padding
        self.standardGap = gap
        self.scale = scale
    }

    /// Returns the dimensions for another font size, with the same proportions but an unchanged border width.
    func scaled(toFontSize fontSize: Double) -> ButtonMetrics {
        ButtonMetrics(
            padding: self.standardPadding,
            gap: self.standardGap,
            scale: self.scale * fontSize / self.fontSize
        )
    }

    /// Returns the minimum width of a button with a short text.
    ///
    /// The width does not grow with the text size, because larger text is already wider but the screen is not.
    func minimumWidth(_ style: GoogleSignInButtonStyle) -> Double {
        switch style {
        case .icon: self.height
        case .standard: 96
        case .wide: 180
        }
    }
}

/// The position of the logo and text in a button.
///
/// They are centered, with the logo at the leading edge of the text.
struct ButtonLayout: Sendable, Equatable {
    let logo: CGRect
    /// The text's frame, or nil if the button has only a logo.
    let text: CGRect?

    /// Creates the layout of a button.
    ///
    /// The text must have been measured with the width from ``textRoom(in:metrics:)``.
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

    /// Returns the width that is available for the text in a button.
    static func textRoom(in width: Double, metrics: ButtonMetrics = .apple) -> Double {
        max(0, width - 2 * metrics.padding - metrics.logo - metrics.gap)
    }

    /// Returns the size that a button needs for its content.
    ///
    /// If the text wraps, the height increases. The width is at most `width`, unless the button has only a logo.
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

    /// Returns the bounds, enlarged to at least the minimum touch area.
    static func touchArea(_ bounds: CGRect, metrics: ButtonMetrics = .apple) -> CGRect {
        let missing = { (length: Double) in max(0, metrics.touchTarget - length) / 2 }
        return bounds.insetBy(dx: -missing(bounds.width), dy: -missing(bounds.height))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

#if canImport(CoreGraphics)
internal import CoreGraphics
#endif

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

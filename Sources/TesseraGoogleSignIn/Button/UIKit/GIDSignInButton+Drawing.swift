// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(UIKit) && canImport(QuartzCore)
internal import Foundation
internal import UIKit

extension GIDSignInButton {
    private var colors: ButtonColors {
        let state = GoogleSignInButtonState.normal.shown(isEnabled: self.isEnabled, isPressed: self.isHighlighted)
        return ButtonColors(self.colorScheme.scheme, state)
    }

    /// The words in their font and colour; `nil` for a button that is its logo alone.
    var attributedText: NSAttributedString? {
        self.text.words(self.style.style)
            .map { words in
                let size = ButtonMetrics.apple.fontSize
                let system = UIFont.systemFont(ofSize: size, weight: .medium)
                let font = UIFont(name: "Roboto-Medium", size: size) ?? system
                return NSAttributedString(
                    string: words,
                    attributes: [.font: font, .foregroundColor: UIColor(self.colors.ink)]
                )
            }
    }

    func drawLook() {
        let (metrics, colors, text) = (ButtonMetrics.apple, self.colors, self.attributedText)
        let ground = UIBezierPath(
            roundedRect: self.bounds.insetBy(dx: metrics.edge / 2, dy: metrics.edge / 2),
            cornerRadius: metrics.cornerRadius
        )
        UIColor(colors.ground).setFill()
        ground.fill()
        UIColor(colors.edge).setStroke()
        ground.lineWidth = metrics.edge
        ground.stroke()

        let layout = ButtonLayout(
            in: self.bounds,
            style: self.style.style,
            textSize: text?.size() ?? .zero,
            isRightToLeft: self.effectiveUserInterfaceLayoutDirection == .rightToLeft
        )
        for part in GoogleLogo.parts {
            UIColor(part.color, opacity: colors.logoOpacity).setFill()
            UIBezierPath(part.outline(in: layout.logo)).fill()
        }
        if let frame = layout.text { text?.draw(in: frame) }
    }
}
#endif

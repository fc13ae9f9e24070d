// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(MessageUI) || canImport(TVUIKit)
internal import CoreGraphics
internal import Foundation
internal import UIKit

extension GIDSignInButton {
    /// The dimensions at the user's text size.
    var metrics: ButtonMetrics {
        let metrics = ButtonMetrics.apple
        return metrics.scaled(
            toFontSize: UIFontMetrics.default.scaledValue(
                for: metrics.fontSize,
                compatibleWith: self.traitCollection
            )
        )
    }

    private var colors: ButtonColors {
        let state = GoogleSignInButtonState.normal.shown(isEnabled: self.isEnabled, isPressed: self.isHighlighted)
        return ButtonColors(self.colorScheme.scheme, state)
    }

    /// Returns the text with its font and color, or nil if the button has only a logo.
    private func attributedText(_ metrics: ButtonMetrics) -> NSAttributedString? {
        self.text.words(self.style.style)
            .map { words in
                let size = metrics.fontSize
                let system = UIFont.systemFont(ofSize: size, weight: .medium)
                let paragraph = NSMutableParagraphStyle()
                paragraph.alignment = .center
                return NSAttributedString(
                    string: words,
                    attributes: [
                        .font: ["GoogleSans-Medium", "Roboto-Medium"].lazy.compactMap { UIFont(name: $0, size: size) }
                            .first ?? system,
                        .foregroundColor: UIColor(self.colors.ink),
                        .paragraphStyle: paragraph,
                    ]
                )
            }
    }

    /// Returns the size that the text has in a button with the given width.
    private func size(of text: NSAttributedString?, in width: CGFloat, _ metrics: ButtonMetrics) -> CGSize {
        let room = ButtonLayout.textRoom(in: width, metrics: metrics)
        let limit = CGSize(width: room, height: .greatestFiniteMagnitude)
        return text?.boundingRect(with: limit, options: .usesLineFragmentOrigin, context: nil).size ?? .zero
    }

    /// Returns the button's size for the given maximum width.
    ///
    /// As elsewhere in UIKit, a width of 0 means that there is no limit.
    func fittingSize(in width: CGFloat) -> CGSize {
        let metrics = self.metrics
        let limit = width > 0 ? width : .greatestFiniteMagnitude
        let textSize = self.size(of: self.attributedText(metrics), in: limit, metrics)
        return ButtonLayout.size(style: self.style.style, textSize: textSize, width: limit, metrics: metrics)
    }

    func drawLook() {
        let (metrics, colors) = (self.metrics, self.colors)
        let text = self.attributedText(metrics)
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
            textSize: self.size(of: text, in: self.bounds.width, metrics),
            isRightToLeft: self.effectiveUserInterfaceLayoutDirection == .rightToLeft,
            metrics: metrics
        )
        if let logo = self.logo {
            logo.draw(in: layout.logo, blendMode: .normal, alpha: colors.logoOpacity)
        } else {
            for part in GoogleLogo.parts {
                UIColor(part.color, opacity: colors.logoOpacity).setFill()
                UIBezierPath(part.outline(in: layout.logo)).fill()
            }
        }
        if let frame = layout.text { text?.draw(in: frame) }
    }
}

extension UIColor {
    convenience init(_ color: ButtonColor, opacity: Double = 1) {
        self.init(red: color.red, green: color.green, blue: color.blue, alpha: opacity)
    }
}

extension UIBezierPath {
    convenience init(_ outline: [GoogleLogoElement]) {
        self.init()
        for element in outline {
            switch element {
            case .move(let point): self.move(to: point)
            case .line(let point): self.addLine(to: point)
            case .curve(let point, let first, let second):
                self.addCurve(to: point, controlPoint1: first, controlPoint2: second)
            case .close: self.close()
            }
        }
    }
}

#if canImport(MessageUI)
extension GIDSignInButton {
    /// Enables the system's hover effect for the pointer on iPad and Mac, and for the user's gaze on Apple Vision Pro.
    func addHoverEffect() {
        #if targetEnvironment(macCatalyst)
        self.addInteraction(UIPointerInteraction(delegate: nil))
        #else
        if #available(iOS 17, *) {
            self.hoverStyle = UIHoverStyle(shape: nil)
        } else {
            self.addInteraction(UIPointerInteraction(delegate: nil))
        }
        #endif
    }

    /// Turns off the hover effect while the button is disabled.
    func setHoverEffect(isEnabled: Bool) {
        #if !targetEnvironment(macCatalyst)
        // The property copies its value.
        if #available(iOS 17, *), let style = self.hoverStyle {
            style.isEnabled = isEnabled
            self.hoverStyle = style
        }
        #endif
    }
}
#endif
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// The watch's UIKit has no controls; QuartzCore, which draws them, is missing there too.
#if canImport(UIKit) && canImport(QuartzCore)
public import Foundation
public import UIKit

/// Google's sign-in button for UIKit; its `touchUpInside` says that it was pressed.
open class GIDSignInButton: UIControl {
    /// How much the button says.
    public var style: GIDSignInButtonStyle = .standard {
        didSet { self.lookChanged() }
    }
    /// The colours.
    public var colorScheme: GIDSignInButtonColorScheme = .light {
        didSet { self.lookChanged() }
    }
    let text = ButtonText.current

    /// A button in `frame`.
    public override init(frame: CGRect) {
        super.init(frame: frame)
        self.setUp()
    }

    /// A button of an interface file.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        self.setUp()
    }

    /// As large as logo and text need.
    open override var intrinsicContentSize: CGSize {
        ButtonLayout.size(style: self.style.style, textSize: self.attributedText?.size() ?? .zero)
    }

    /// Whether the button can be pressed.
    open override var isEnabled: Bool {
        didSet { self.stateChanged() }
    }

    /// Whether the button is being pressed.
    open override var isHighlighted: Bool {
        didSet { self.stateChanged() }
    }

    /// Draws ground, logo and text.
    open override func draw(_ rect: CGRect) { self.drawLook() }

    /// Whether a finger at `point` hits the button.
    open override func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
        ButtonLayout.touchArea(self.bounds).contains(point)
    }

    private func setUp() {
        self.backgroundColor = .clear
        self.isOpaque = false
        self.contentMode = .redraw
        self.isAccessibilityElement = true
        self.accessibilityLabel = self.text.signInWithGoogle
        self.lookChanged()
        self.stateChanged()
    }

    private func lookChanged() {
        self.accessibilityUserInputLabels = self.text.names(self.style.style)
        self.invalidateIntrinsicContentSize()
        self.setNeedsDisplay()
    }

    private func stateChanged() {
        self.accessibilityTraits = self.isEnabled ? .button : [.button, .notEnabled]
        self.setNeedsDisplay()
    }
}
#endif

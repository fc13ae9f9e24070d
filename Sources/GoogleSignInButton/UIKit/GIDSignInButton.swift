// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// UIKit's controls are on iOS, visionOS and Mac Catalyst, which have MessageUI, and on tvOS, which has TVUIKit. The UIKit
// of watchOS has none.
#if canImport(MessageUI) || canImport(TVUIKit)
internal import CoreGraphics
public import Foundation
internal import QuartzCore
public import UIKit

/// Google's sign-in button for UIKit.
///
/// Pressing it sends `touchUpInside`, or the remote's select press on tvOS, and in both cases `primaryActionTriggered`. The
/// button grows with the user's text size, and its text wraps where the width is not enough.
open class GIDSignInButton: UIControl {
    /// How much the button says.
    public var style: GIDSignInButtonStyle = .standard {
        didSet { self.lookChanged() }
    }
    /// The colors.
    public var colorScheme: GIDSignInButtonColorScheme = .light {
        didSet { self.lookChanged() }
    }
    /// A picture of Google's logo that your app contains, or nil for the logo that Tessera draws.
    ///
    /// The picture is shown in a square of 20 points, which grows with the text size.
    public var logo: UIImage? {
        didSet { self.lookChanged() }
    }
    let text = ButtonText.current
    private var laidOutWidth = CGFloat.zero

    /// Creates a button in `frame`.
    public override init(frame: CGRect) {
        super.init(frame: frame)
        self.setUp()
    }

    /// Creates a button of an interface file.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        self.setUp()
    }

    /// The width of logo and text, and the height that the text needs in the button's present width.
    open override var intrinsicContentSize: CGSize {
        CGSize(width: self.fittingSize(in: 0).width, height: self.fittingSize(in: self.bounds.width).height)
    }

    /// The size of logo and text, with the text in several lines if `size` is narrow.
    open override func sizeThatFits(_ size: CGSize) -> CGSize { self.fittingSize(in: size.width) }

    /// Whether the button can be pressed.
    open override var isEnabled: Bool {
        didSet { self.stateChanged() }
    }

    /// Whether the button is being pressed.
    open override var isHighlighted: Bool {
        didSet { self.stateChanged() }
    }

    /// Adapts the height to the width.
    open override func layoutSubviews() {
        super.layoutSubviews()
        self.layer.cornerRadius = self.metrics.cornerRadius
        guard self.laidOutWidth != self.bounds.width else { return }
        self.laidOutWidth = self.bounds.width
        self.invalidateIntrinsicContentSize()
    }

    /// Adapts the look to the window's text size.
    open override func didMoveToWindow() {
        super.didMoveToWindow()
        self.lookChanged()
    }

    /// Adapts the look to a text size that a view or its controller overrides.
    open override func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {
        super.traitCollectionDidChange(previousTraitCollection)
        self.lookChanged()
    }

    /// Draws background, logo and text.
    open override func draw(_ rect: CGRect) { self.drawLook() }

    /// Whether a finger at `point` hits the button.
    open override func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
        ButtonLayout.touchArea(self.bounds).contains(point)
    }

    #if canImport(TVUIKit)
    /// Whether the remote can move the focus to the button.
    open override var canBecomeFocused: Bool { self.isEnabled }

    /// Enlarges the whole button while it has the focus.
    open override func didUpdateFocus(
        in context: UIFocusUpdateContext,
        with coordinator: UIFocusAnimationCoordinator
    ) {
        super.didUpdateFocus(in: context, with: coordinator)
        coordinator.addCoordinatedAnimations(
            { self.transform = self.isFocused ? CGAffineTransform(scaleX: 1.1, y: 1.1) : .identity },
            completion: nil
        )
    }

    /// Highlights the button while the remote's select button is pressed.
    open override func pressesBegan(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
        guard Self.isSelect(presses) else { return super.pressesBegan(presses, with: event) }
        self.isHighlighted = true
    }

    /// Sends the primary action when the remote's select button is released.
    open override func pressesEnded(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
        guard Self.isSelect(presses) else { return super.pressesEnded(presses, with: event) }
        self.isHighlighted = false
        self.sendActions(for: .primaryActionTriggered)
    }

    /// Ends the highlight without an action.
    open override func pressesCancelled(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
        guard Self.isSelect(presses) else { return super.pressesCancelled(presses, with: event) }
        self.isHighlighted = false
    }

    private static func isSelect(_ presses: Set<UIPress>) -> Bool { presses.contains { $0.type == .select } }
    #endif

    private func setUp() {
        self.backgroundColor = .clear
        self.isOpaque = false
        self.contentMode = .redraw
        self.isAccessibilityElement = true
        self.accessibilityLabel = self.text.signInWithGoogle
        self.addAction(
            UIAction { [weak self] _ in self?.sendActions(for: .primaryActionTriggered) },
            for: .touchUpInside
        )
        NotificationCenter.default.addObserver(
            self,
            selector: #selector(self.textSizeChanged),
            name: UIContentSizeCategory.didChangeNotification,
            object: nil
        )
        #if canImport(MessageUI)
        self.addHoverEffect()
        #endif
        self.lookChanged()
        self.stateChanged()
    }

    @objc private func textSizeChanged() { self.lookChanged() }

    private func lookChanged() {
        self.accessibilityUserInputLabels = self.text.names(self.style.style)
        self.invalidateIntrinsicContentSize()
        self.setNeedsLayout()
        self.setNeedsDisplay()
    }

    private func stateChanged() {
        self.accessibilityTraits = self.isEnabled ? .button : [.button, .notEnabled]
        #if canImport(MessageUI)
        self.setHoverEffect(isEnabled: self.isEnabled)
        #endif
        self.setNeedsDisplay()
    }
}
#endif

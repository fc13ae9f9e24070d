// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// UIKit's controls are available on iOS, visionOS and Mac Catalyst, which have MessageUI, and on tvOS, which has
// TVUIKit. UIKit on watchOS has no controls.
#if canImport(MessageUI) || canImport(TVUIKit)
internal import CoreGraphics
public import Foundation
internal import QuartzCore
public import UIKit

/// A UIKit control for signing in with Google.
///
/// Pressing the button sends `touchUpInside`. On tvOS, the remote's select press has the same effect. In both cases,
/// the button also sends `primaryActionTriggered`. The button scales with the user's text size, and its text wraps if
/// necessary.
open class GIDSignInButton: UIControl, NSSecureCoding {
    /// The content of the button.
    public var style: GIDSignInButtonStyle = .standard {
        didSet { self.lookChanged() }
    }
    /// The color scheme of the button.
    public var colorScheme: GIDSignInButtonColorScheme = .light {
        didSet { self.lookChanged() }
    }
    /// The app's own image of Google's logo, or nil to use the logo that Tessera draws.
    ///
    /// The image is shown in a 20-point square that scales with the text size.
    public var logo: UIImage? {
        didSet { self.lookChanged() }
    }
    let text = ButtonText.current
    private var laidOutWidth = CGFloat.zero

    /// Creates a button with the given frame.
    public override init(frame: CGRect) {
        super.init(frame: frame)
        self.setUp()
    }

    /// Creates a button from an Interface Builder file or an archive.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        if let style = Self.value(GIDSignInButtonStyle.self, Self.styleKey, coder) { self.style = style }
        if let scheme = Self.value(GIDSignInButtonColorScheme.self, Self.colorSchemeKey, coder) {
            self.colorScheme = scheme
        }
        self.setUp()
    }

    private static let styleKey = "style"
    private static let colorSchemeKey = "color_scheme"

    /// Returns an archived value, or nil if it is missing or unknown.
    private static func value<Value: RawRepresentable<Int>>(_: Value.Type, _ key: String, _ coder: NSCoder) -> Value? {
        coder.containsValue(forKey: key) ? Value(rawValue: coder.decodeInteger(forKey: key)) : nil
    }

    /// Whether the class supports secure coding, which is always true.
    open nonisolated class var supportsSecureCoding: Bool { true }

    /// Encodes the button with its style and color scheme.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(self.style.rawValue, forKey: Self.styleKey)
        coder.encode(self.colorScheme.rawValue, forKey: Self.colorSchemeKey)
    }

    /// The width of the logo and text, and the height that the text requires at the current width.
    open override var intrinsicContentSize: CGSize {
        CGSize(width: self.fittingSize(in: 0).width, height: self.fittingSize(in: self.bounds.width).height)
    }

    /// Returns the size required by the logo and text.
    ///
    /// The text wraps if `size` is narrow.
    open override func sizeThatFits(_ size: CGSize) -> CGSize { self.fittingSize(in: size.width) }

    /// Whether the button is enabled.
    open override var isEnabled: Bool {
        didSet { self.stateChanged() }
    }

    /// Whether the button is being pressed.
    open override var isHighlighted: Bool {
        didSet { self.stateChanged() }
    }

    /// Updates the height after the width has changed.
    open override func layoutSubviews() {
        super.layoutSubviews()
        self.layer.cornerRadius = self.metrics.cornerRadius
        guard self.laidOutWidth != self.bounds.width else { return }
        self.laidOutWidth = self.bounds.width
        self.invalidateIntrinsicContentSize()
    }

    /// Updates the appearance to match the window's text size.
    open override func didMoveToWindow() {
        super.didMoveToWindow()
        self.lookChanged()
    }

    /// Updates the appearance if a view or view controller overrides the text size.
    open override func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {
        super.traitCollectionDidChange(previousTraitCollection)
        self.lookChanged()
    }

    /// Draws the background, logo and text.
    open override func draw(_ rect: CGRect) { self.drawLook() }

    /// Returns whether the touch area contains a point.
    open override func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
        ButtonLayout.touchArea(self.bounds).contains(point)
    }

    #if canImport(TVUIKit)
    /// Whether the button can receive focus.
    open override var canBecomeFocused: Bool { self.isEnabled }

    /// Enlarges the button while it is focused.
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

    /// Sends `touchUpInside`, and with it the primary action, when the remote's select button is released.
    open override func pressesEnded(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
        guard Self.isSelect(presses) else { return super.pressesEnded(presses, with: event) }
        self.isHighlighted = false
        self.sendActions(for: .touchUpInside)
    }

    /// Removes the highlight without sending an action.
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
        // The user interface tests of apps find the button by this identifier of Google's library.
        self.accessibilityIdentifier = "GIDSignInButton"
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// swift-format-ignore-file

// What the sign-in button uses of Apple's UIKit framework, as its interface declares it, so that the button can be
// type-checked where there is no Apple. UIKit exports Foundation there too.
//
// Source: https://developer.apple.com/documentation/uikit

@_exported public import Foundation

@MainActor open class UIResponder: NSObject {}

@MainActor public class UIEvent: NSObject {}

public enum UIUserInterfaceLayoutDirection: Int, Sendable {
    case leftToRight
    case rightToLeft
}

public struct UIAccessibilityTraits: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static var button: UIAccessibilityTraits { UIAccessibilityTraits(rawValue: 1) }
    public static var notEnabled: UIAccessibilityTraits { UIAccessibilityTraits(rawValue: 2) }
}

extension NSObject {
    @MainActor public var isAccessibilityElement: Bool { get { false } set {} }
    @MainActor public var accessibilityLabel: String? { get { nil } set {} }
    @MainActor public var accessibilityTraits: UIAccessibilityTraits { get { [] } set {} }
    @MainActor public var accessibilityUserInputLabels: [String]! { get { [] } set {} }
}

@MainActor open class UIView: UIResponder {
    public enum ContentMode: Int, Sendable {
        case scaleToFill
        case redraw = 3
    }

    public init(frame: CGRect) { super.init() }
    public required init?(coder: NSCoder) { super.init() }

    open var bounds: CGRect { get { .zero } set {} }
    open var backgroundColor: UIColor? { get { nil } set {} }
    open var isOpaque: Bool { get { false } set {} }
    open var contentMode: UIView.ContentMode { get { .redraw } set {} }
    open var intrinsicContentSize: CGSize { .zero }
    open var effectiveUserInterfaceLayoutDirection: UIUserInterfaceLayoutDirection { .leftToRight }
    open func invalidateIntrinsicContentSize() {}
    open func setNeedsDisplay() {}
    open func draw(_ rect: CGRect) {}
    open func point(inside point: CGPoint, with event: UIEvent?) -> Bool { false }
}

@MainActor open class UIControl: UIView {
    public override init(frame: CGRect) { super.init(frame: frame) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open var isEnabled: Bool { get { true } set {} }
    open var isHighlighted: Bool { get { false } set {} }
}

open class UIColor: NSObject, @unchecked Sendable {
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    open class var clear: UIColor { UIColor(red: 0, green: 0, blue: 0, alpha: 0) }
    open func setFill() {}
    open func setStroke() {}
}

open class UIFont: NSObject, @unchecked Sendable {
    public struct Weight: Hashable, RawRepresentable, Sendable {
        public let rawValue: CGFloat
        public init(rawValue: CGFloat) { self.rawValue = rawValue }
        public static let medium = Weight(rawValue: 0.23)
    }

    public init?(name fontName: String, size fontSize: CGFloat) { return nil }
    open class func systemFont(ofSize fontSize: CGFloat, weight: UIFont.Weight) -> UIFont {
        fatalError("for type-checking alone")
    }
}

open class UIBezierPath: NSObject {
    public override init() {}
    public convenience init(roundedRect rect: CGRect, cornerRadius: CGFloat) { self.init() }
    open var lineWidth: CGFloat { get { 1 } set {} }
    open func move(to point: CGPoint) {}
    open func addLine(to point: CGPoint) {}
    open func addCurve(to endPoint: CGPoint, controlPoint1: CGPoint, controlPoint2: CGPoint) {}
    open func close() {}
    open func fill() {}
    open func stroke() {}
}

extension NSAttributedString.Key {
    public static let font = NSAttributedString.Key(rawValue: "NSFont")
    public static let foregroundColor = NSAttributedString.Key(rawValue: "NSColor")
}

extension NSAttributedString {
    public func size() -> CGSize { .zero }
    public func draw(in rect: CGRect) {}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// swift-format-ignore-file

// What the sign-in button, the sign-in sheet and the example for iOS use of Apple's UIKit framework, as its interface
// declares it, so that they can be type-checked where there is no Apple. UIKit exports Foundation there too. What a
// delegate may leave out there is demanded here, so that a misspelt one is noticed.
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
    public convenience override init() { self.init(frame: .zero) }

    open var window: UIWindow? { nil }
    open var frame: CGRect { get { .zero } set {} }
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
    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var touchUpInside: UIControl.Event { UIControl.Event(rawValue: 64) }
    }

    public override init(frame: CGRect) { super.init(frame: frame) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open func addAction(_ action: UIAction, for controlEvents: UIControl.Event) {}
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

@MainActor open class UIWindow: UIView {
    public override init(frame: CGRect) { super.init(frame: frame) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open var rootViewController: UIViewController? { get { nil } set {} }
    open func makeKeyAndVisible() {}
}

@MainActor open class UIScene: UIResponder {}

@MainActor open class UIWindowScene: UIScene {
    open var keyWindow: UIWindow? { nil }
}

@MainActor open class UIApplication: UIResponder {
    public struct OpenURLOptionsKey: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct LaunchOptionsKey: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    open class var shared: UIApplication { UIApplication() }
    open var connectedScenes: Set<UIScene> { [] }
}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ app: UIApplication,
        open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool
}
extension UIApplicationDelegate {
    public static func main() {}
}

@MainActor open class UIViewController: UIResponder {
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }
    public required init?(coder: NSCoder) { super.init() }
    public convenience override init() { self.init(nibName: nil, bundle: nil) }

    open var view: UIView! { get { UIView() } set {} }
    open var title: String? { get { nil } set {} }
    open var navigationItem: UINavigationItem { UINavigationItem() }
    open func viewDidLoad() {}
}

@MainActor open class UINavigationController: UIViewController {
    public init(rootViewController: UIViewController) { super.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }
}

@MainActor open class UINavigationItem: NSObject {
    open var prompt: String? { get { nil } set {} }
    open var rightBarButtonItem: UIBarButtonItem? { get { nil } set {} }
}

@MainActor open class UIBarButtonItem: NSObject {
    public convenience init(
        title: String? = nil,
        image: UIImage? = nil,
        primaryAction: UIAction? = nil,
        menu: UIMenu? = nil
    ) { self.init() }
}

open class UIImage: NSObject, @unchecked Sendable {}

@MainActor open class UIMenuElement: NSObject {
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    public enum State: Int, Sendable {
        case off
    }
}

@MainActor open class UIMenu: UIMenuElement {}

public typealias UIActionHandler = (UIAction) -> Void

@MainActor open class UIAction: UIMenuElement {
    public struct Identifier: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public convenience init(
        title: String = "",
        image: UIImage? = nil,
        identifier: UIAction.Identifier? = nil,
        discoverabilityTitle: String? = nil,
        attributes: UIMenuElement.Attributes = [],
        state: UIMenuElement.State = .off,
        handler: @escaping UIActionHandler
    ) { self.init() }
}

@MainActor open class UITableView: UIView {
    public enum Style: Int, Sendable {
        case plain
    }

    open var tableHeaderView: UIView? { get { nil } set {} }
    open func reloadData() {}
    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {}
    open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        UITableViewCell()
    }
}

@MainActor open class UITableViewController: UIViewController {
    public init(style: UITableView.Style) { super.init(nibName: nil, bundle: nil) }
    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init(nibName: nil, bundle: nil)
    }
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open var tableView: UITableView! { get { UITableView() } set {} }
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        UITableViewCell()
    }
}

@MainActor open class UITableViewCell: UIView {
    open var contentConfiguration: (any UIContentConfiguration)? { get { nil } set {} }
    open func defaultContentConfiguration() -> UIListContentConfiguration { UIListContentConfiguration() }
}

@MainActor public protocol UIContentConfiguration {}

@MainActor public struct UIListContentConfiguration: UIContentConfiguration {
    public var text: String?
}

extension IndexPath {
    public var row: Int { 0 }
}

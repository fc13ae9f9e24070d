// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// swift-format-ignore-file

// What the browser, the sign-in sheet and the example for macOS use of Apple's AppKit framework, as its interface declares
// it, so that they can be type-checked where there is no Apple. AppKit exports Foundation there too. What a delegate may
// leave out there is demanded here, so that a misspelt one is noticed.
//
// Source: https://developer.apple.com/documentation/appkit

@_exported public import Foundation

@MainActor open class NSResponder: NSObject {
    public override init() {}
    public init?(coder: NSCoder) {}
}

open class NSWorkspace: NSObject {
    open class var shared: NSWorkspace { NSWorkspace() }
    @discardableResult open func open(_ url: URL) -> Bool { false }
}

@MainActor open class NSApplication: NSResponder {
    open class var shared: NSApplication { NSApplication() }
    open var keyWindow: NSWindow? { nil }
    open func activate() {}
}

@MainActor public protocol NSApplicationDelegate: NSObjectProtocol {
    func applicationDidFinishLaunching(_ notification: Notification)
    func application(_ application: NSApplication, open urls: [URL])
}
extension NSApplicationDelegate {
    public static func main() {}
}

@MainActor open class NSWindow: NSResponder {
    open var title: String { get { "" } set {} }
    public convenience init(contentViewController: NSViewController) { self.init() }
    open func center() {}
    open func makeKeyAndOrderFront(_ sender: Any?) {}
}

@MainActor open class NSView: NSResponder {
    public init(frame frameRect: NSRect) { super.init() }
    public override init?(coder: NSCoder) { super.init(coder: coder) }
    open var window: NSWindow? { nil }
    open var isHidden: Bool { get { false } set {} }
}

@MainActor open class NSViewController: NSResponder {
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }
    public override init?(coder: NSCoder) { super.init(coder: coder) }
    public convenience override init() { self.init(nibName: nil, bundle: nil) }
    open var view: NSView { get { NSView(frame: .zero) } set {} }
    open func loadView() {}
    open func viewDidLoad() {}
}

@MainActor open class NSControl: NSView {
    public override init(frame frameRect: NSRect) { super.init(frame: frameRect) }
    public required override init?(coder: NSCoder) { super.init(coder: coder) }
    open var stringValue: String { get { "" } set {} }
}

@MainActor open class NSTextField: NSControl {
    public override init(frame frameRect: NSRect) { super.init(frame: frameRect) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }
    public convenience init(wrappingLabelWithString stringValue: String) { self.init(frame: .zero) }
}

public enum NSUserInterfaceLayoutOrientation: Int, Sendable {
    case horizontal
    case vertical
}

public struct NSEdgeInsets {
    public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {}
}

@MainActor open class NSStackView: NSView {
    public convenience init(views: [NSView]) { self.init(frame: .zero) }
    open var orientation: NSUserInterfaceLayoutOrientation { get { .horizontal } set {} }
    open var edgeInsets: NSEdgeInsets { get { NSEdgeInsets(top: 0, left: 0, bottom: 0, right: 0) } set {} }
}

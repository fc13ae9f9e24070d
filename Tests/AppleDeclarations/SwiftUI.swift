// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// swift-format-ignore-file

// What the sign-in button and the examples use of Apple's SwiftUI framework, as its interface declares it, so that they
// can be type-checked where there is no Apple.
//
// Source: https://developer.apple.com/documentation/swiftui

public import Combine
public import CoreGraphics
public import Foundation
#if canImport(AppKit)
public import AppKit

@MainActor open class NSHostingView<Content: View>: NSView {
    public required init(rootView: Content) { super.init(frame: .zero) }
    public required dynamic init?(coder: NSCoder) { super.init(coder: coder) }
}
#endif

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("for type-checking alone") }
}

public struct EmptyView: View {
    nonisolated public init() {}
    public var body: Never { fatalError("for type-checking alone") }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("for type-checking alone") }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> {
        TupleView((repeat each content))
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        first: TrueContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent() }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        second: FalseContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent() }
}

public struct _ConditionalContent<TrueContent, FalseContent> {}
extension _ConditionalContent: View where TrueContent: View, FalseContent: View {
    public var body: Never { fatalError("for type-checking alone") }
}

public struct TupleView<T>: View {
    nonisolated public init(_ value: T) {}
    public var body: Never { fatalError("for type-checking alone") }
}

public struct ModifiedContent<Content, Modifier> {}
extension ModifiedContent: View where Content: View {
    public var body: Never { fatalError("for type-checking alone") }
}
public struct AccessibilityAttachmentModifier {}

public struct Text: View {
    public init(verbatim content: String) {}
    public init<S: StringProtocol>(_ content: S) {}
    public var body: Never { fatalError("for type-checking alone") }
}

public struct EdgeInsets: Equatable, Sendable {
    public init() {}
}

public struct Image: View, Equatable, Sendable {
    public enum ResizingMode: Sendable, Hashable {
        case tile
        case stretch
    }

    public init(_ name: String, bundle: Bundle? = nil) {}
    public func resizable(capInsets: EdgeInsets = EdgeInsets(), resizingMode: ResizingMode = .stretch) -> Image { self }
    public var body: Never { fatalError("for type-checking alone") }
}

public struct HStack<Content: View>: View {
    public init(
        alignment: VerticalAlignment = .center,
        spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {}
    public var body: Never { fatalError("for type-checking alone") }
}

public struct VStack<Content: View>: View {
    public init(
        alignment: HorizontalAlignment = .center,
        spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {}
    public var body: Never { fatalError("for type-checking alone") }
}

public struct HorizontalAlignment: Sendable {
    public static let center = HorizontalAlignment()
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}
extension ForEach: View where Content: View {
    public var body: Never { fatalError("for type-checking alone") }
}

@MainActor @preconcurrency
public struct List<SelectionValue: Hashable, Content: View>: View {
    public var body: Never { fatalError("for type-checking alone") }
}
extension List where SelectionValue == Never {
    nonisolated public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data,
        @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {}
}

public struct VerticalAlignment: Sendable {
    public static let center = VerticalAlignment()
}

public struct Alignment: Sendable {
    public static let center = Alignment()
}

public struct Edge {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let horizontal = Set(rawValue: 10)
        public static let vertical = Set(rawValue: 5)
        public static let all = Set(rawValue: 15)
    }
}

public struct Button<Label: View>: View {
    @preconcurrency public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
    public var body: Never { fatalError("for type-checking alone") }
}

extension Button where Label == Text {
    @preconcurrency nonisolated public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
}

public struct ButtonStyleConfiguration {
    public struct Label: View {
        public var body: Never { fatalError("for type-checking alone") }
    }

    public let label: Label
    public let isPressed: Bool
}

@MainActor @preconcurrency
public protocol ButtonStyle {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Configuration) -> Body
    typealias Configuration = ButtonStyleConfiguration
}

public protocol DynamicProperty {}

@propertyWrapper
public struct State<Value>: DynamicProperty {
    public init(wrappedValue value: Value) { self.wrappedValue = value }
    public var wrappedValue: Value
}

@MainActor @preconcurrency
public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}
extension Never: Scene {}

@resultBuilder
public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("for type-checking alone") }
}

@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}
extension App {
    @MainActor @preconcurrency public static func main() {}
}

public struct EnvironmentValues {
    public var isEnabled: Bool { get { true } set {} }
}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError("for type-checking alone") }
}

@MainActor @preconcurrency @propertyWrapper
public struct ObservedObject<ObjectType: ObservableObject>: DynamicProperty {
    @dynamicMemberLookup public struct Wrapper {
        public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>) -> Subject {
            fatalError("for type-checking alone")
        }
    }

    public init(wrappedValue: ObjectType) { self.wrappedValue = wrappedValue }
    public var wrappedValue: ObjectType
    public var projectedValue: Wrapper { Wrapper() }
}

public struct Color: View, ShapeStyle, Hashable, Sendable {
    public enum RGBColorSpace: Sendable {
        case sRGB
        case sRGBLinear
        case displayP3
    }

    public init(_ colorSpace: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1) {}
    public var body: Never { fatalError("for type-checking alone") }
}

public struct Font: Hashable, Sendable {
    public struct Weight: Hashable, Sendable {
        public static let medium = Weight()
    }

    public enum TextStyle: Hashable, CaseIterable, Sendable {
        case body
    }

    public enum Design: Hashable, Sendable {
        case `default`
    }

    public static func system(size: CGFloat, weight: Weight? = nil, design: Design? = nil) -> Font { Font() }
}

public protocol ShapeStyle: Sendable {}

public struct FillStyle: Equatable, Sendable {
    public init(eoFill: Bool = false, antialiased: Bool = true) {}
}

public struct Path: Shape {
    public init() {}
    public mutating func move(to end: CGPoint) {}
    public mutating func addLine(to end: CGPoint) {}
    public mutating func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {}
    public mutating func closeSubpath() {}
}

public protocol Shape: Sendable, View {}
extension Shape {
    public var body: Never { fatalError("for type-checking alone") }
    public func fill<S: ShapeStyle>(_ content: S, style: FillStyle = FillStyle()) -> some View { EmptyView() }
}

public protocol InsettableShape: Shape {
    associatedtype InsetShape: InsettableShape
    nonisolated func inset(by amount: CGFloat) -> InsetShape
}
extension InsettableShape {
    public func strokeBorder<S: ShapeStyle>(
        _ content: S,
        lineWidth: CGFloat = 1,
        antialiased: Bool = true
    ) -> some View { EmptyView() }
}

public enum RoundedCornerStyle: Sendable {
    case circular
    case continuous
}

public struct RoundedRectangle: InsettableShape {
    nonisolated public init(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) {}
    nonisolated public func inset(by amount: CGFloat) -> some InsettableShape { self }
}

public struct Rectangle: InsettableShape {
    nonisolated public init() {}
    nonisolated public func inset(by amount: CGFloat) -> some InsettableShape { self }
}

public struct GraphicsContext {
    public struct Shading: Sendable {
        public static func color(_ color: Color) -> Shading { Shading() }
    }

    public func fill(_ path: Path, with shading: Shading, style: FillStyle = FillStyle()) {}
}

public enum ColorRenderingMode: Sendable {
    case nonLinear
}

public struct Canvas<Symbols: View>: View {
    public var body: Never { fatalError("for type-checking alone") }
}
extension Canvas where Symbols == EmptyView {
    nonisolated public init(
        opaque: Bool = false,
        colorMode: ColorRenderingMode = .nonLinear,
        rendersAsynchronously: Bool = false,
        renderer: @escaping (inout GraphicsContext, CGSize) -> Void
    ) {}
}

public enum TextAlignment: Hashable, CaseIterable, Sendable {
    case leading
    case center
    case trailing
}

@propertyWrapper
public struct ScaledMetric<Value: BinaryFloatingPoint>: DynamicProperty {
    public init(wrappedValue: Value, relativeTo textStyle: Font.TextStyle) { self.wrappedValue = wrappedValue }
    public let wrappedValue: Value
}

@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
    typealias Content = _ViewModifier_Content<Self>
}

public struct _ViewModifier_Content<Modifier: ViewModifier>: View {
    public var body: Never { fatalError("for type-checking alone") }
}

@available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
public struct ContentShapeKinds: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let interaction = ContentShapeKinds(rawValue: 1)
    @available(macOS, unavailable)
    @available(tvOS, unavailable)
    @available(watchOS, unavailable)
    public static let hoverEffect = ContentShapeKinds(rawValue: 4)
}

@available(iOS 13.4, tvOS 16, *)
@available(macOS, unavailable)
@available(watchOS, unavailable)
public struct HoverEffect: Sendable {
    public static let automatic = HoverEffect()
}

extension View {
    public func modifier<T>(_ modifier: T) -> ModifiedContent<Self, T> { ModifiedContent() }
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { EmptyView() }
    public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { EmptyView() }
    @available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
    public func contentShape<S: Shape>(_ kind: ContentShapeKinds, _ shape: S, eoFill: Bool = false) -> some View {
        EmptyView()
    }
    @available(iOS 13.4, tvOS 16, *)
    @available(macOS, unavailable)
    @available(watchOS, unavailable)
    public func hoverEffect(_ effect: HoverEffect = .automatic) -> some View { EmptyView() }
    @available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
    public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { EmptyView() }
    @available(iOS 14, macOS 11, tvOS 14, watchOS 7, *)
    public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { EmptyView() }
    public func padding(_ length: CGFloat) -> some View { EmptyView() }
    public func buttonStyle<S: ButtonStyle>(_ style: S) -> some View { EmptyView() }
    public func disabled(_ disabled: Bool) -> some View { EmptyView() }
    public func opacity(_ opacity: Double) -> some View { EmptyView() }
    public func lineLimit(_ number: Int?) -> some View { EmptyView() }
    public func font(_ font: Font?) -> some View { EmptyView() }
    public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { EmptyView() }
    public func padding(_ edges: Edge.Set = [], _ length: CGFloat? = nil) -> some View { EmptyView() }
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View {
        EmptyView()
    }
    public func frame(
        minWidth: CGFloat? = nil,
        idealWidth: CGFloat? = nil,
        maxWidth: CGFloat? = nil,
        minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil,
        maxHeight: CGFloat? = nil,
        alignment: Alignment = .center
    ) -> some View { EmptyView() }
    public func background<S: View>(_ background: S, alignment: Alignment = .center) -> some View { EmptyView() }
    public func overlay<Overlay: View>(_ overlay: Overlay, alignment: Alignment = .center) -> some View { EmptyView() }
    public func contentShape<S: Shape>(_ shape: S, eoFill: Bool = false) -> some View { EmptyView() }
    public func accessibilityHidden(_ hidden: Bool) -> ModifiedContent<Self, AccessibilityAttachmentModifier> {
        ModifiedContent()
    }
    public func accessibilityLabel(_ label: Text) -> ModifiedContent<Self, AccessibilityAttachmentModifier> {
        ModifiedContent()
    }
    public func accessibilityInputLabels(
        _ inputLabels: [Text]
    ) -> ModifiedContent<Self, AccessibilityAttachmentModifier> { ModifiedContent() }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// swift-format-ignore-file

// What the sign-in button uses of Apple's SwiftUI framework, as its interface declares it, so that the button can be
// type-checked where there is no Apple.
//
// Source: https://developer.apple.com/documentation/swiftui

public import Combine
public import Foundation

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
    }
}

public struct Button<Label: View>: View {
    @preconcurrency public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
    public var body: Never { fatalError("for type-checking alone") }
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

extension View {
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

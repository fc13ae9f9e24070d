// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(CoreGraphics)
internal import CoreGraphics
#endif
internal import Foundation

/// Google's G logo, which consists of a ring in three colors and a bar in a fourth, in a square with the side length
/// ``side``.
///
/// The logo is drawn from this description on all platforms.
enum GoogleLogo {
    static let side = 48.0
    static let parts = [red, yellow, green, blue]

    /// An SVG image with a size that the page's style sheet sets.
    ///
    /// Screen readers ignore it.
    static let svg = Self.svg(attributes: "aria-hidden=\"true\"")
    /// An SVG image that screen readers announce as "Google".
    static let namedSVG = Self.svg(attributes: "role=\"img\" aria-label=\"Google\"")

    private static func svg(attributes: String) -> String {
        let paths = self.parts.map { part in
            "<path fill=\"\(part.color.hex)\" d=\"\(part.outline.map(\.svg).joined())\"/>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" width="20" height="20" focusable="false" \
            \(attributes)>\(paths.joined())</svg>
            """
    }

    /// The arc at the top.
    private static let red = GoogleLogoPart(
        color: ButtonColor(0xEA4335),
        outline: [
            .move(CGPoint(x: 33.23, y: 13.08)),
            .line(CGPoint(x: 40.1, y: 6.2)),
            curve((19.59, 0.41), (34.55, 1.18), (26.96, -0.97)),
            curve((2.56, 13.22), (12.23, 1.78), (5.93, 6.52)),
            .line(CGPoint(x: 10.46, y: 19.39)),
            curve((20.18, 10.22), (11.99, 14.92), (15.62, 11.48)),
            curve((33.23, 13.08), (24.73, 8.96), (29.62, 10.03)),
            .close,
        ]
    )

    /// The arc on the left.
    private static let yellow = GoogleLogoPart(
        color: ButtonColor(0xFBBC05),
        outline: [
            .move(CGPoint(x: 10.46, y: 19.39)),
            .line(CGPoint(x: 2.56, y: 13.22)),
            curve((2.56, 34.78), (-0.85, 20), (-0.85, 28)),
            .line(CGPoint(x: 10.46, y: 28.61)),
            curve((10.46, 19.39), (9.45, 25.62), (9.45, 22.38)),
            .close,
        ]
    )

    /// The arc at the bottom.
    private static let green = GoogleLogoPart(
        color: ButtonColor(0x34A853),
        outline: [
            .move(CGPoint(x: 10.46, y: 28.61)),
            .line(CGPoint(x: 2.56, y: 34.78)),
            curve((19.45, 47.57), (5.9, 41.43), (12.14, 46.15)),
            curve((39.89, 41.99), (26.76, 48.98), (34.31, 46.92)),
            .line(CGPoint(x: 32.2, y: 35.72)),
            curve((19.55, 37.59), (28.51, 38.3), (23.83, 38.99)),
            curve((10.46, 28.61), (15.28, 36.19), (11.91, 32.87)),
            .close,
        ]
    )

    /// The arc on the right and the bar.
    private static let blue = GoogleLogoPart(
        color: ButtonColor(0x4285F4),
        outline: [
            .move(CGPoint(x: 24, y: 20)),
            .line(CGPoint(x: 46.6, y: 20)),
            curve((47, 24.5), (46.86, 21.47), (47, 22.97)),
            curve((39.89, 41.99), (47, 31.5), (44.39, 38.02)),
            .line(CGPoint(x: 32.2, y: 35.72)),
            curve((37.4, 29), (34.57, 34.06), (36.38, 31.71)),
            .line(CGPoint(x: 24, y: 29)),
            .close,
        ]
    )

    private static func curve(
        _ end: (Double, Double),
        _ first: (Double, Double),
        _ second: (Double, Double)
    ) -> GoogleLogoElement {
        .curve(CGPoint(x: end.0, y: end.1), CGPoint(x: first.0, y: first.1), CGPoint(x: second.0, y: second.1))
    }
}

/// A part of the logo with a single color.
struct GoogleLogoPart: Sendable, Equatable {
    let color: ButtonColor
    /// The outline, in coordinates relative to the logo's square.
    let outline: [GoogleLogoElement]

    /// Returns the outline for a logo that fills `frame`.
    func outline(in frame: CGRect) -> [GoogleLogoElement] { self.outline.map { $0.placed(in: frame) } }
}

/// An element of an outline.
enum GoogleLogoElement: Sendable, Equatable {
    case move(CGPoint)
    case line(CGPoint)
    /// A cubic Bézier curve to a point, with two control points.
    case curve(CGPoint, CGPoint, CGPoint)
    case close

    /// Returns the element for a logo that fills `frame`.
    func placed(in frame: CGRect) -> GoogleLogoElement {
        let scale = frame.width / GoogleLogo.side
        let place = { (point: CGPoint) in
            CGPoint(x: frame.minX + point.x * scale, y: frame.minY + point.y * scale)
        }
        return switch self {
        case .move(let point): .move(place(point))
        case .line(let point): .line(place(point))
        case .curve(let point, let first, let second): .curve(place(point), place(first), place(second))
        case .close: .close
        }
    }

    /// The element in SVG path syntax.
    var svg: String {
        let text = { (point: CGPoint) in "\(Self.number(point.x)) \(Self.number(point.y))" }
        return switch self {
        case .move(let point): "M\(text(point))"
        case .line(let point): "L\(text(point))"
        case .curve(let point, let first, let second): "C\(text(first)) \(text(second)) \(text(point))"
        case .close: "Z"
        }
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(value)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

#if canImport(CoreGraphics)
internal import CoreGraphics
#endif

/// A step of an outline.
enum GoogleLogoElement: Sendable, Equatable {
    case move(CGPoint)
    case line(CGPoint)
    /// A cubic curve: to a point, by two control points.
    case curve(CGPoint, CGPoint, CGPoint)
    case close

    /// The step in a logo that fills `frame`.
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

    /// As a path's `d` in SVG writes it.
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

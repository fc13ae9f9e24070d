// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(UIKit)
internal import UIKit

extension UIColor {
    convenience init(_ color: ButtonColor, opacity: Double = 1) {
        self.init(red: color.red, green: color.green, blue: color.blue, alpha: opacity)
    }
}

extension UIBezierPath {
    convenience init(_ outline: [GoogleLogoElement]) {
        self.init()
        for element in outline {
            switch element {
            case .move(let point): self.move(to: point)
            case .line(let point): self.addLine(to: point)
            case .curve(let point, let first, let second):
                self.addCurve(to: point, controlPoint1: first, controlPoint2: second)
            case .close: self.close()
            }
        }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(UIKit)
internal import UIKit

extension UIColor {
    convenience init(_ color: ButtonColor, opacity: Double = 1) {
        self.init(red: color.red, green: color.green, blue: color.blue, alpha: opacity)
    }
}
#endif

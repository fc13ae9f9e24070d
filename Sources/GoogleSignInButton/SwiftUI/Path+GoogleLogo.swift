// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(SwiftUI)
internal import SwiftUI

extension Path {
    init(_ outline: [GoogleLogoElement]) {
        self.init()
        for element in outline {
            switch element {
            case .move(let point): self.move(to: point)
            case .line(let point): self.addLine(to: point)
            case .curve(let point, let first, let second): self.addCurve(to: point, control1: first, control2: second)
            case .close: self.closeSubpath()
            }
        }
    }
}
#endif

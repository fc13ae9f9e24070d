// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(SwiftUI)
internal import CoreGraphics
internal import Foundation
internal import SwiftUI

/// A view that draws the logo in a square.
struct GoogleLogoView: View {
    /// The app's logo image, or nil to use the logo that Tessera draws.
    let logo: Image?
    let side: Double

    @ViewBuilder private var picture: some View {
        if let logo = self.logo {
            logo.resizable()
        } else {
            Canvas { context, size in
                for part in GoogleLogo.parts {
                    let frame = CGRect(x: 0, y: 0, width: size.width, height: size.height)
                    context.fill(Path(part.outline(in: frame)), with: .color(Color(part.color)))
                }
            }
        }
    }

    var body: some View {
        self.picture
            .frame(width: self.side, height: self.side)
            .accessibilityHidden(true)
    }
}

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

extension Color {
    init(_ color: ButtonColor) {
        self.init(.sRGB, red: color.red, green: color.green, blue: color.blue, opacity: 1)
    }
}
#endif

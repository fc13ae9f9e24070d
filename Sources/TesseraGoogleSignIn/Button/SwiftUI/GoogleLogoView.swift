// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(SwiftUI)
internal import CoreGraphics
internal import Foundation
internal import SwiftUI

/// The logo in a square.
struct GoogleLogoView: View {
    let side: Double

    var body: some View {
        Canvas { context, size in
            for part in GoogleLogo.parts {
                let frame = CGRect(x: 0, y: 0, width: size.width, height: size.height)
                context.fill(Path(part.outline(in: frame)), with: .color(Color(part.color)))
            }
        }
        .frame(width: self.side, height: self.side)
        .accessibilityHidden(true)
    }
}
#endif

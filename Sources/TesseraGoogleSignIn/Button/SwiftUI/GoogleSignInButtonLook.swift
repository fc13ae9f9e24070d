// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(SwiftUI)
internal import Foundation
internal import SwiftUI

/// The logo before the label, on the button's ground.
struct GoogleSignInButtonLook: ButtonStyle {
    let scheme: GoogleSignInButtonColorScheme
    let style: GoogleSignInButtonStyle
    let state: GoogleSignInButtonState
    @Environment(\.isEnabled) private var isEnabled

    func makeBody(configuration: Configuration) -> some View {
        let metrics = ButtonMetrics.apple
        let colors = ButtonColors(
            self.scheme,
            self.state.shown(isEnabled: self.isEnabled, isPressed: configuration.isPressed)
        )
        let shape = RoundedRectangle(cornerRadius: metrics.cornerRadius)
        return HStack(spacing: metrics.gap) {
            GoogleLogoView(side: metrics.logo).opacity(colors.logoOpacity)
            if self.style != .icon { configuration.label.lineLimit(1) }
        }
        .font(.system(size: metrics.fontSize, weight: .medium))
        .foregroundStyle(Color(colors.ink))
        .padding(.horizontal, self.style == .icon ? 0 : metrics.padding)
        .frame(
            minWidth: metrics.minimumWidth(self.style),
            maxWidth: self.style == .wide ? metrics.maximumWidth : nil,
            minHeight: metrics.height
        )
        .background(shape.fill(Color(colors.ground)))
        .overlay(shape.strokeBorder(Color(colors.edge), lineWidth: metrics.edge))
        .contentShape(Rectangle().inset(by: (metrics.height - metrics.touchTarget) / 2))
    }
}
#endif

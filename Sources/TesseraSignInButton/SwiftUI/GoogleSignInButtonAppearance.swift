// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(SwiftUI)
internal import CoreGraphics
internal import Foundation
internal import SwiftUI

/// A button style that shows the logo and then the label on the button's background.
struct GoogleSignInButtonAppearance: ButtonStyle {
    let scheme: GoogleSignInButtonColorScheme
    let style: GoogleSignInButtonStyle
    let state: GoogleSignInButtonState
    let logo: Image?
    let metrics: ButtonMetrics
    @Environment(\.isEnabled) private var isEnabled

    /// The minimum width, or nil on watchOS, where the screen can be narrower.
    private var minimumWidth: Double? {
        #if canImport(MessageUI) || canImport(TVUIKit) || canImport(AppKit)
        self.metrics.minimumWidth(self.style)
        #else
        nil
        #endif
    }

    func makeBody(configuration: Configuration) -> some View {
        let metrics = self.metrics
        let colors = ButtonColors(
            self.scheme,
            self.state.shown(isEnabled: self.isEnabled, isPressed: configuration.isPressed)
        )
        let shape = RoundedRectangle(cornerRadius: metrics.cornerRadius)
        return HStack(spacing: metrics.gap) {
            GoogleLogoView(logo: self.logo, side: metrics.logo).opacity(colors.logoOpacity)
            if self.style != .icon {
                configuration.label.multilineTextAlignment(.center).fixedSize(horizontal: false, vertical: true)
            }
        }
        .font(.system(size: metrics.fontSize, weight: .medium))
        .foregroundStyle(Color(colors.ink))
        .padding(.horizontal, self.style == .icon ? 0 : metrics.padding)
        .padding(.vertical, metrics.verticalPadding)
        .frame(
            minWidth: self.minimumWidth.map { CGFloat($0) },
            maxWidth: self.style == .wide ? metrics.maximumWidth : nil,
            minHeight: metrics.height
        )
        .background(shape.fill(Color(colors.ground)))
        .overlay(shape.strokeBorder(Color(colors.edge), lineWidth: metrics.edge))
        .contentShape(Rectangle().inset(by: -max(0, metrics.touchTarget - metrics.height) / 2))
        .modifier(GoogleSignInButtonHover(shape: shape))
    }
}

/// Applies the system's hover effect for pointer, gaze or focus.
///
/// This has no effect on macOS and watchOS.
private struct GoogleSignInButtonHover: ViewModifier {
    let shape: RoundedRectangle

    func body(content: Content) -> some View {
        #if canImport(MessageUI)
        content.contentShape(.hoverEffect, self.shape).hoverEffect()
        #elseif canImport(TVUIKit)
        content.hoverEffect()
        #else
        content
        #endif
    }
}
#endif

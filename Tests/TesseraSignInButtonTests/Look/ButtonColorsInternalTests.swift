// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
@testable internal import TesseraSignInButton
internal import Testing

@Suite("Sign-in button colors")
struct ButtonColorsInternalTests {
    @Test("Uses the light and dark colors of Google's guidelines")
    func schemes() {
        let (light, dark) = (ButtonColors(.light), ButtonColors(.dark))
        #expect([light.ground, light.edge, light.ink].map(\.hex) == ["#FFFFFF", "#747775", "#1F1F1F"])
        #expect([dark.ground, dark.edge, dark.ink].map(\.hex) == ["#131314", "#8E918F", "#E3E3E3"])
        #expect(light.logoOpacity == 1)
        #expect(dark.logoOpacity == 1)
    }

    @Test("Gives text a contrast of at least 4.5", arguments: GoogleSignInButtonColorScheme.allCases)
    func contrast(scheme: GoogleSignInButtonColorScheme) {
        for colors in [ButtonColors(scheme), ButtonColors(scheme, .pressed), ButtonColors.hovered(scheme)] {
            #expect(Self.contrast(colors.ink, colors.ground) >= 4.5)
        }
    }

    @Test(
        "Gives the border and focus ring a contrast of at least 3",
        arguments: GoogleSignInButtonColorScheme.allCases
    )
    func outlines(scheme: GoogleSignInButtonColorScheme) {
        let colors = ButtonColors(scheme)
        #expect(Self.contrast(colors.edge, colors.ground) >= 3)
        #expect(Self.contrast(ButtonColors.focusRing(scheme), colors.ground) >= 3)
    }

    @Test(
        "Gives each state a different appearance and dims a disabled button",
        arguments: GoogleSignInButtonColorScheme.allCases
    )
    func states(scheme: GoogleSignInButtonColorScheme) {
        let looks = GoogleSignInButtonState.allCases.map { ButtonColors(scheme, $0) } + [ButtonColors.hovered(scheme)]
        #expect(Set(looks).count == 4)
        let (normal, disabled) = (ButtonColors(scheme), ButtonColors(scheme, .disabled))
        #expect(disabled.logoOpacity < 0.5)
        #expect(
            Self.contrast(disabled.ink, disabled.ground) < Self.contrast(normal.ink, normal.ground)
        )
    }

    @Test("Formats each color component as two hexadecimal digits")
    func hex() {
        #expect(ButtonColor(0x00090F).hex == "#00090F")
        #expect(ButtonColor(0xFFFFFF).covered(by: ButtonColor(0), share: 0.5).hex == "#808080")
    }

    /// Returns the contrast ratio of WCAG 2.2.
    private static func contrast(_ first: ButtonColor, _ second: ButtonColor) -> Double {
        let (one, other) = (self.luminance(first), self.luminance(second))
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    private static func luminance(_ color: ButtonColor) -> Double {
        let linear = { (part: Double) in part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
    }
}

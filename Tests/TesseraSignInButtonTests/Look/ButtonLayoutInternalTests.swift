// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
@testable internal import TesseraSignInButton
internal import Testing

#if canImport(CoreGraphics)
internal import CoreGraphics
#endif

@Suite("Sign-in button layout")
struct ButtonLayoutInternalTests {
    static let textSize = CGSize(width: 130.2, height: 17)

    @Test("Fits the width to the content and uses Google's height")
    func size() {
        let size = { ButtonLayout.size(style: $0, textSize: Self.textSize) }
        #expect(size(.icon) == CGSize(width: 40, height: 40))
        #expect(size(.standard) == CGSize(width: 16 + 20 + 12 + 131 + 16, height: 40))
        #expect(size(.wide) == size(.standard))
        #expect(ButtonLayout.size(style: .wide, textSize: .zero).width == 180)
        #expect(ButtonLayout.size(style: .standard, textSize: .zero).width == 96)
    }

    @Test("Uses the paddings of the guidelines at its natural size")
    func paddings() throws {
        let bounds = CGRect(origin: .zero, size: ButtonLayout.size(style: .standard, textSize: Self.textSize))
        let layout = ButtonLayout(in: bounds, style: .standard, textSize: Self.textSize, isRightToLeft: false)
        let text = try #require(layout.text)
        #expect(abs(layout.logo.minX - 16) < 1)
        #expect(layout.logo.midY == 20)
        #expect(text.midY == 20)
        #expect(abs(text.minX - layout.logo.maxX - 12) < 0.001)
        #expect(abs(bounds.maxX - text.maxX - 16) < 1)
    }

    @Test("Places the logo on the right in right-to-left layout")
    func rightToLeft() throws {
        let bounds = CGRect(x: 10, y: 5, width: 300, height: 40)
        let left = ButtonLayout(in: bounds, style: .wide, textSize: Self.textSize, isRightToLeft: false)
        let right = ButtonLayout(in: bounds, style: .wide, textSize: Self.textSize, isRightToLeft: true)
        let text = try #require(right.text)
        #expect(right.logo.minX > text.maxX)
        #expect(abs((left.logo.minX - bounds.minX) - (bounds.maxX - right.logo.maxX)) < 0.001)
    }

    @Test("Scales all metrics with the font size")
    func scaled() throws {
        let metrics = ButtonMetrics.apple.scaled(toFontSize: 28)
        #expect(metrics.fontSize == 28)
        #expect(metrics.lineHeight == 40)
        #expect(metrics.height == 80)
        #expect(metrics.logo == 40)
        #expect(metrics.padding == 32)
        #expect(metrics.gap == 24)
        #expect(metrics.edge == 1)
        #expect(metrics.touchTarget == 44)
        #expect(metrics.scaled(toFontSize: 14) == .apple)
        let textSize = CGSize(width: 200, height: 33)
        let size = ButtonLayout.size(style: .wide, textSize: textSize, metrics: metrics)
        #expect(size == CGSize(width: 32 + 40 + 24 + 200 + 32, height: 80))
        let standard = ButtonLayout.size(style: .standard, textSize: textSize, metrics: metrics)
        #expect(standard == CGSize(width: 32 + 40 + 24 + 200 + 32, height: 80))
        let layout = ButtonLayout(
            in: CGRect(x: 0, y: 0, width: 328, height: 80),
            style: .wide,
            textSize: textSize,
            isRightToLeft: false,
            metrics: metrics
        )
        #expect(layout.logo == CGRect(x: 32, y: 20, width: 40, height: 40))
        #expect(try #require(layout.text).minX == 32 + 40 + 24)
        #expect(ButtonLayout.size(style: .icon, textSize: textSize, metrics: metrics) == CGSize(width: 80, height: 80))
    }

    @Test("Keeps a wide button with the largest text within the offered width")
    func largestText() {
        let metrics = ButtonMetrics.apple.scaled(toFontSize: 43)
        #expect(metrics.minimumWidth(.wide) == 180)
        let room = ButtonLayout.textRoom(in: 361, metrics: metrics)
        let size = ButtonLayout.size(
            style: .wide,
            textSize: CGSize(width: room + 0.4, height: 154),
            width: 361,
            metrics: metrics
        )
        #expect(size.width == 361)
        #expect(size.height > 154)
    }

    @Test("Grows in height for several lines without scaling the logo")
    func severalLines() throws {
        let textSize = CGSize(width: 100, height: 51)
        let size = ButtonLayout.size(style: .wide, textSize: textSize)
        #expect(size.height == 71)
        let bounds = CGRect(x: 0, y: 0, width: 164, height: size.height)
        #expect(ButtonLayout.textRoom(in: bounds.width) == 100)
        let layout = ButtonLayout(in: bounds, style: .wide, textSize: textSize, isRightToLeft: false)
        #expect(layout.text == CGRect(x: 48, y: 10, width: 100, height: 51))
        #expect(layout.logo == CGRect(x: 16, y: 25.5, width: 20, height: 20))
    }

    @Test("Centers the logo of an icon and never gives text a negative width")
    func extremes() throws {
        let square = CGRect(x: 0, y: 0, width: 40, height: 40)
        let icon = ButtonLayout(in: square, style: .icon, textSize: Self.textSize, isRightToLeft: false)
        #expect(icon.logo == CGRect(x: 10, y: 10, width: 20, height: 20))
        #expect(icon.text == nil)
        let narrow = ButtonLayout(in: square, style: .wide, textSize: Self.textSize, isRightToLeft: false)
        #expect(try #require(narrow.text).width == 0)
    }

    @Test("Extends the touch area to at least 44 points")
    func touchArea() {
        #expect(
            ButtonLayout.touchArea(CGRect(x: 0, y: 0, width: 40, height: 40))
                == CGRect(x: -2, y: -2, width: 44, height: 44)
        )
        #expect(
            ButtonLayout.touchArea(CGRect(x: 0, y: 0, width: 300, height: 60))
                == CGRect(x: 0, y: 0, width: 300, height: 60)
        )
    }

    @Test("Combines the requested state with the system's state")
    func shownState() {
        #expect(GoogleSignInButtonState.normal.shown(isEnabled: true, isPressed: true) == .pressed)
        #expect(GoogleSignInButtonState.pressed.shown(isEnabled: true, isPressed: false) == .pressed)
        #expect(GoogleSignInButtonState.disabled.shown(isEnabled: true, isPressed: true) == .disabled)
        #expect(GoogleSignInButtonState.normal.shown(isEnabled: false, isPressed: true) == .disabled)
        #expect(GoogleSignInButtonState.normal.shown(isEnabled: true, isPressed: false) == .normal)
    }
}

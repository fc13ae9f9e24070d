// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension GoogleSignInButtonHTML {
    /// The style sheet for all buttons on a page.
    ///
    /// Include it once, either in a `<style>` element with the page's nonce or as a file.
    public static let styleSheet = """
        .google-sign-in-form { display: inline-block; margin: 0; max-width: 100%; }
        .google-sign-in {
          appearance: none; box-sizing: border-box; position: relative; display: inline-flex; align-items: center;
          justify-content: center; gap: \(px(metrics.gap)); min-height: \(px(metrics.height)); max-width: 100%; margin: 0;
          padding: \(px(verticalPadding)) \(px(metrics.padding)); vertical-align: middle; text-align: center;
          text-decoration: none; cursor: pointer; -webkit-user-select: none; user-select: none;
          -webkit-tap-highlight-color: transparent;
          color: var(--google-sign-in-ink); background: var(--google-sign-in-ground);
          border: \(px(metrics.edge)) solid var(--google-sign-in-edge); border-radius: \(px(metrics.cornerRadius));
          font: 500 \(px(metrics.fontSize))/\(px(metrics.lineHeight)) "Google Sans", Roboto, system-ui, -apple-system, "Segoe UI", \
        "Noto Sans", Arial, sans-serif;
          letter-spacing: .25px; transition: background-color .2s, box-shadow .2s;
        }
        .google-sign-in[dir="rtl"] { letter-spacing: normal; }
        .google-sign-in svg, .google-sign-in img {
          flex: none; display: block; width: \(px(metrics.logo)); height: \(px(metrics.logo));
          opacity: var(--google-sign-in-logo, 1);
        }
        .google-sign-in span { min-width: 0; overflow-wrap: break-word; }
        .google-sign-in-standard { min-width: \(px(metrics.minimumWidth(.standard))); }
        .google-sign-in-wide { min-width: \(px(metrics.minimumWidth(.wide))); }
        .google-sign-in-icon { flex: none; width: \(px(metrics.minimumWidth(.icon))); padding-inline: 0; }
        .google-sign-in-light, .google-sign-in-auto { \(properties(.light)) }
        .google-sign-in-dark { \(properties(.dark)) }
        @media (prefers-color-scheme: dark) { .google-sign-in-auto { \(properties(.dark)) } }
        @media (hover: hover) {
          .google-sign-in:hover {
            background: var(--google-sign-in-hovered);
            box-shadow: 0 1px 2px rgb(60 64 67 / .3), 0 1px 3px 1px rgb(60 64 67 / .15);
          }
        }
        .google-sign-in:focus-visible {
          outline: 2px solid var(--google-sign-in-ring); outline-offset: 2px;
          box-shadow: 0 0 0 2px var(--google-sign-in-ground);
        }
        .google-sign-in:active, .google-sign-in-pressed, .google-sign-in-pressed:hover {
          background: var(--google-sign-in-pressed); box-shadow: none;
        }
        .google-sign-in-disabled, .google-sign-in-disabled:hover, .google-sign-in-disabled:active {
          --google-sign-in-logo: var(--google-sign-in-disabled-logo); cursor: default; box-shadow: none;
          color: var(--google-sign-in-disabled-ink); background: var(--google-sign-in-ground);
          border-color: var(--google-sign-in-disabled-edge);
        }
        @media (pointer: coarse) {
          .google-sign-in::after { content: ""; position: absolute; inset: \(px(-touchMargin)); }
        }
        @media (forced-colors: active) { .google-sign-in-disabled { color: GrayText; border-color: GrayText; } }
        @media (prefers-reduced-motion: reduce) { .google-sign-in { transition: none; } }
        """

    private static let metrics = ButtonMetrics.web
    private static let verticalPadding = metrics.verticalPadding - metrics.edge
    /// The distance by which the touch area extends beyond the button's padding box.
    private static let touchMargin = (metrics.touchTarget - metrics.height) / 2 + metrics.edge

    private static func properties(_ scheme: GoogleSignInButtonColorScheme) -> String {
        let (normal, disabled) = (ButtonColors(scheme), ButtonColors(scheme, .disabled))
        let properties = [
            ("ground", normal.ground.hex), ("edge", normal.edge.hex), ("ink", normal.ink.hex),
            ("hovered", ButtonColors.hovered(scheme).ground.hex),
            ("pressed", ButtonColors(scheme, .pressed).ground.hex),
            ("ring", ButtonColors.focusRing(scheme).hex),
            ("disabled-edge", disabled.edge.hex), ("disabled-ink", disabled.ink.hex),
            ("disabled-logo", String(disabled.logoOpacity)),
        ]
        return properties.map { name, value in "--google-sign-in-\(name): \(value);" }.joined(separator: " ")
    }

    private static func px(_ length: Double) -> String { "\(Int(length))px" }
}

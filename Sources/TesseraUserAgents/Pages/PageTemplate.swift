// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The template for a short, self-contained page.
struct PageTemplate {
    enum Tone: String {
        case good
        case bad
        case neutral
    }

    let tone: Tone
    /// The title, as plain text from this module.
    let title: String
    /// The sentence, as HTML in which all outside text is escaped.
    let sentence: String
    /// The details, as HTML in which all outside text is escaped.
    var details = ""
    /// The closing line, as plain text from this module.
    var closing = "You can close this window."

    /// Returns the HTML document.
    ///
    /// The document's script removes the redirect's query, including the authorization code, from the address bar and
    /// history.
    func html(nonce: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>\(self.title)</title>
        <style nonce="\(nonce)">\(Self.style)</style>
        <script nonce="\(nonce)">history.replaceState(null, "", location.pathname);</script>
        </head>
        <body class="\(self.tone.rawValue)">
        <main>
        <div class="emblem" aria-hidden="true">\(self.emblem)</div>
        <h1>\(self.title)</h1>
        <p class="sentence">\(self.sentence)</p>
        \(self.details)
        <p class="closing">\(self.closing)</p>
        </main>
        </body>
        </html>

        """
    }

    private var emblem: String {
        let path =
            switch self.tone {
            case .good: "M15 25.5l6.5 6.5L34 18.5"
            case .bad: "M17 17l14 14M31 17L17 31"
            case .neutral: "M24 14v13M24 34v.01"
            }
        return """
            <svg viewBox="8 8 32 32" width="48" height="48" fill="none" stroke="currentColor" stroke-width="3" \
            stroke-linecap="round" stroke-linejoin="round"><path d="\(path)"/></svg>
            """
    }

    static let tick = Self.icon("M4.5 10.5l3.5 3.5 7.5-8")
    static let dash = Self.icon("M5 10h10")

    private static func icon(_ path: String) -> String {
        """
        <svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" \
        stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="\(path)"/></svg>
        """
    }
}

extension PageTemplate {
    /// The style sheet for light and dark modes.
    static let style = """
        :root {
          --ground: #f3f5f9; --card: #ffffff; --ink: #171b26; --soft: #5b6478; --line: #e4e8f0;
          --good: #0f8a5f; --bad: #c2364b; --neutral: #4f5fc4; --shadow: 0 1px 2px rgb(23 27 38 / .06), 0 18px 48px rgb(23 27 38 / .09);
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #10131a; --card: #1a1f2a; --ink: #eef1f7; --soft: #9ba5b9; --line: #2b3240;
            --good: #45cf9b; --bad: #ff7d8d; --neutral: #98a5ff; --shadow: 0 1px 2px rgb(0 0 0 / .4), 0 18px 48px rgb(0 0 0 / .35);
          }
        }
        .good { --tone: var(--good); } .bad { --tone: var(--bad); } .neutral { --tone: var(--neutral); }
        * { box-sizing: border-box; margin: 0; padding: 0; }
        body {
          min-height: 100vh; display: grid; place-items: center; padding: 32px 20px;
          background: radial-gradient(60rem 30rem at 50% -8rem, color-mix(in srgb, var(--tone) 16%, var(--ground)), var(--ground));
          color: var(--ink);
          font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, Cantarell, "Noto Sans", "DejaVu Sans", sans-serif;
          -webkit-font-smoothing: antialiased;
        }
        main {
          width: 100%; max-width: 30rem; padding: 44px 40px 32px; text-align: center;
          background: var(--card); border: 1px solid var(--line); border-radius: 20px; box-shadow: var(--shadow);
        }
        .emblem {
          width: 84px; height: 84px; margin: 0 auto 24px; display: grid; place-items: center; border-radius: 50%;
          color: var(--tone); background: color-mix(in srgb, var(--tone) 13%, transparent);
        }
        h1 { font-size: 1.6rem; line-height: 1.25; font-weight: 650; letter-spacing: -.015em; text-wrap: balance; }
        .sentence { margin-top: 12px; color: var(--soft); overflow-wrap: anywhere; text-wrap: balance; }
        strong { color: var(--ink); font-weight: 600; }
        section { margin-top: 28px; text-align: left; }
        section + section { margin-top: 20px; }
        h2 { margin: 0 2px 8px; font-size: .78rem; font-weight: 600; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
        ul { list-style: none; border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
        li { display: flex; gap: 12px; align-items: center; padding: 11px 14px; }
        li + li { border-top: 1px solid var(--line); }
        li svg { flex: none; }
        li span { min-width: 0; overflow-wrap: anywhere; }
        .allowed svg { color: var(--good); }
        .missing svg, .missing li { color: var(--soft); }
        code { font: .9em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        .note { margin: 10px 2px 0; text-align: left; font-size: .875rem; color: var(--soft); }
        .advice {
          margin-top: 24px; padding: 14px 16px; text-align: left; border-radius: 12px; overflow-wrap: anywhere;
          background: color-mix(in srgb, var(--tone) 8%, transparent);
        }
        .closing { margin-top: 32px; padding-top: 20px; border-top: 1px solid var(--line); font-size: .925rem; color: var(--soft); }
        @media (max-width: 30rem) { main { padding: 32px 22px 24px; border-radius: 16px; } }
        """
}

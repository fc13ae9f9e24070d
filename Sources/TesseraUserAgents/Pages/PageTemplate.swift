// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A page of a few words: everything that it needs is in it.
struct PageTemplate {
    enum Mood: String {
        case good
        case bad
        case neutral
    }

    let mood: Mood
    /// Fixed words.
    let title: String
    /// Markup, its text escaped.
    let sentence: String
    /// Markup, its text escaped.
    let details: String
    /// Fixed words.
    let closing: String

    /// The document.
    ///
    /// The script takes the redirect's query, with the code in it, out of the address bar and the history.
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
        <body class="\(self.mood.rawValue)">
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
            switch self.mood {
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

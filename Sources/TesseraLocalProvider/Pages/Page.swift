// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import HTTPTypes
internal import TesseraSupport

extension ProviderResponse {
    /// Returns an HTML page that works without scripts and cannot be framed by other sites.
    ///
    /// The `formTarget` is an additional origin to which the page's forms may lead.
    static func page(
        _ title: String,
        _ content: HTML,
        status: HTTPResponse.Status = .ok,
        formTarget: String? = nil
    ) -> ProviderResponse {
        let markup: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) – Tessera Local Provider</title>
            <link rel="icon" href="/favicon.svg" type="image/svg+xml">
            <style>\(HTML(trusted: PageStyle.sheet))</style>
            </head>
            <body>
            <main>
            <div class="brand">\(HTML.mark)<span>Tessera Local Provider</span></div>
            \(content)
            </main>
            <footer>A development provider on this computer. No real account is involved.</footer>
            </body>
            </html>

            """
        var response = ProviderResponse(status, content: .bytes(Array(markup.text.utf8)))
        let digest = Data(PageStyle.digest).base64EncodedString()
        let target = formTarget.map { " \($0)" } ?? ""
        response.headers[.contentType] = "text/html; charset=utf-8"
        response.headers[.cacheControl] = "no-store"
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'sha256-\(digest)'; img-src 'self'; form-action 'self'\(target); "
            + "base-uri 'none'; frame-ancestors 'none'"
        // With `no-referrer`, the browser would send the forms with the origin `null`.
        response.headers[named: "Referrer-Policy"] = "same-origin"
        response.headers[named: "X-Frame-Options"] = "DENY"
        response.headers[named: "Cross-Origin-Opener-Policy"] = "same-origin"
        return response
    }
}

extension HTML {
    /// The logo, which consists of four mosaic tiles, one of them rotated.
    static let mark: HTML = """
        <svg viewBox="0 0 32 32" aria-hidden="true" xmlns="http://www.w3.org/2000/svg">\
        <rect x="2" y="2" width="13" height="13" rx="3.5" fill="#0d6a62"/>\
        <rect x="17" y="2" width="13" height="13" rx="3.5" fill="#3f9f92"/>\
        <rect x="2" y="17" width="13" height="13" rx="3.5" fill="#8fccc2"/>\
        <rect x="18" y="18" width="11" height="11" rx="3" fill="#e0a33b" transform="rotate(12 23.5 23.5)"/></svg>
        """

    /// A check mark for permissions that are always granted.
    static let tick: HTML = """
        <svg viewBox="0 0 20 20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.2" \
        stroke-linecap="round" stroke-linejoin="round"><path d="M4 10.5l4 4 8-9"/></svg>
        """
}

/// HTML markup.
///
/// Interpolated text is escaped. Interpolated markup is not.
struct HTML: Sendable, ExpressibleByStringInterpolation {
    var text: String

    init(stringLiteral value: String) { self.text = value }
    init(stringInterpolation: StringInterpolation) { self.text = stringInterpolation.text }
    private init(text: String) { self.text = text }
    /// Creates markup from trusted text without escaping it.
    init(trusted text: String) { self.text = text }

    /// Returns the pieces of markup joined with line breaks.
    static func joined(_ pieces: [HTML]) -> HTML { HTML(text: pieces.map(\.text).joined(separator: "\n")) }

    struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        init(literalCapacity: Int, interpolationCount: Int) { self.text.reserveCapacity(literalCapacity) }
        mutating func appendLiteral(_ literal: String) { self.text += literal }
        mutating func appendInterpolation(_ text: String) { self.text += text.escapedForHTML }
        mutating func appendInterpolation(_ number: Int) { self.text += String(number) }
        mutating func appendInterpolation(_ markup: HTML) { self.text += markup.text }
    }
}

/// The style sheet used by all pages, and its digest for the content security policy.
enum PageStyle {
    static let digest = Array(SHA256.hash(data: Array(Self.sheet.utf8)))

    static let sheet = """
        :root {
          color-scheme: light dark;
          --page: #f3f2ee; --card: #ffffff; --ink: #1d2124; --soft: #5d666d; --line: #e3e1da;
          --accent: #0d6a62; --accent-ink: #ffffff; --wash: #f0f6f4; --warn: #9a3b1f; --warn-wash: #fbf1ed;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #14171a; --card: #1d2226; --ink: #eceae4; --soft: #a2abb2; --line: #323a40;
            --accent: #63c3b5; --accent-ink: #0c211e; --wash: #1f2b2b; --warn: #f0a188; --warn-wash: #2f2320;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; min-height: 100vh; padding: 40px 16px 28px; background: var(--page); color: var(--ink);
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
          display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 18px;
        }
        main {
          width: 100%; max-width: 472px; background: var(--card); border: 1px solid var(--line); border-radius: 20px;
          padding: 32px 36px 30px; box-shadow: 0 1px 2px rgb(0 0 0 / .04), 0 14px 40px rgb(0 0 0 / .07);
        }
        .brand { display: flex; align-items: center; gap: 10px; font-size: 14px; font-weight: 600; color: var(--soft); }
        .brand svg { width: 26px; height: 26px; flex: none; }
        h1 { margin: 22px 0 6px; font-size: 25px; line-height: 1.25; font-weight: 650; letter-spacing: -.012em; }
        h2 { margin: 26px 0 8px; font-size: 13px; font-weight: 600; color: var(--soft); }
        p { margin: 0 0 12px; }
        .lead, .soft { color: var(--soft); }
        .small { font-size: 13.5px; }
        a { color: var(--accent); }
        code { font: 13px/1.5 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
        ul { list-style: none; margin: 0; padding: 0; }
        .person {
          display: flex; align-items: center; gap: 12px; text-align: left; min-width: 0;
        }
        .person img { width: 38px; height: 38px; border-radius: 50%; flex: none; }
        .person span { display: block; overflow: hidden; text-overflow: ellipsis; }
        .person .soft { font-size: 14px; }
        .chip { margin: 16px 0 0; padding: 10px 14px; border: 1px solid var(--line); border-radius: 14px; }
        .choices { margin-top: 20px; border: 1px solid var(--line); border-radius: 14px; overflow: hidden; }
        .choices li + li { border-top: 1px solid var(--line); }
        .choices button {
          width: 100%; padding: 13px 16px; border: 0; border-radius: 0; background: none; color: inherit; font: inherit;
          font-weight: 400;
        }
        .choices button:hover { background: var(--wash); }
        .choices strong { font-weight: 600; }
        .scopes li { border-top: 1px solid var(--line); }
        .scopes li:first-child { border-top: 0; }
        .scopes label, .scopes .fixed { display: flex; gap: 14px; padding: 11px 2px; align-items: flex-start; }
        .scopes label { cursor: pointer; }
        .scopes input { width: 19px; height: 19px; margin: 3px 0 0; accent-color: var(--accent); flex: none; }
        .scopes svg { width: 19px; height: 19px; margin: 3px 0 0; flex: none; color: var(--accent); }
        .scopes code { display: block; color: var(--soft); font-size: 12px; }
        .actions { display: flex; gap: 10px; justify-content: flex-end; margin-top: 26px; }
        button {
          padding: 10px 22px; border-radius: 999px; border: 1px solid var(--line); background: none; color: var(--ink);
          font: inherit; font-weight: 600; cursor: pointer;
        }
        button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
        button:hover { border-color: var(--accent); }
        button.primary:hover { filter: brightness(1.08); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .choices button:focus-visible { outline-offset: -3px; }
        .note { margin: 22px 0 0; padding: 12px 14px; border-radius: 12px; background: var(--wash); font-size: 13.5px; }
        .failure { color: var(--warn); font-weight: 600; font-size: 14px; margin: 22px 0 -16px; }
        dl { margin: 18px 0 0; padding: 12px 14px; border-radius: 12px; background: var(--warn-wash); }
        dt { font-size: 12.5px; color: var(--soft); }
        dd { margin: 0 0 8px; }
        dd:last-child { margin: 0; }
        table { width: 100%; border-collapse: collapse; font-size: 14px; }
        td { padding: 7px 0; border-top: 1px solid var(--line); vertical-align: top; }
        td:first-child { color: var(--soft); padding-right: 14px; white-space: nowrap; }
        tr:first-child td { border-top: 0; }
        footer { max-width: 472px; text-align: center; font-size: 12.5px; color: var(--soft); }
        @media (max-width: 480px) {
          body { padding: 0; justify-content: flex-start; gap: 0; }
          main { border: 0; border-radius: 0; padding: 26px 22px; box-shadow: none; min-height: 88vh; }
          footer { padding: 14px 22px 20px; background: var(--card); width: 100%; max-width: none; }
          .actions button { flex: 1; }
        }
        """
}
#endif

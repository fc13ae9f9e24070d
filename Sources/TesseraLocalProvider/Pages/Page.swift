// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes

/// A page of the provider: complete without scripts, and shown in no other site's frame.
struct Page: Sendable {
    var title: String
    var content: HTML
    var status: HTTPResponse.Status = .ok
    /// Where a form of the page may lead besides the provider itself.
    var formTarget: String?

    var response: EndpointResponse {
        var response = EndpointResponse(self.status, content: .bytes(Array(self.markup.text.utf8)))
        let digest = Data(PageStyle.digest).base64EncodedString()
        let target = self.formTarget.map { " \($0)" } ?? ""
        response.headers[.contentType] = "text/html; charset=utf-8"
        response.headers[.cacheControl] = "no-store"
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'sha256-\(digest)'; img-src 'self'; form-action 'self'\(target); "
            + "base-uri 'none'; frame-ancestors 'none'"
        // Not `no-referrer`: the browser would send the forms with the origin `null`.
        response.headers[named: "Referrer-Policy"] = "same-origin"
        response.headers[named: "X-Frame-Options"] = "DENY"
        response.headers[named: "Cross-Origin-Opener-Policy"] = "same-origin"
        return response
    }

    private var markup: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(self.title) – Tessera Local Provider</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml">
        <style>\(HTML(trusted: PageStyle.sheet))</style>
        </head>
        <body>
        <main>
        <div class="brand">\(Self.mark)<span>Tessera Local Provider</span></div>
        \(self.content)
        </main>
        <footer>A stand-in for development, on this computer. No real account is involved.</footer>
        </body>
        </html>

        """
    }

    /// Four tiles of a mosaic, one of them set apart: the token that lets you in.
    static let mark: HTML = """
        <svg viewBox="0 0 32 32" aria-hidden="true" xmlns="http://www.w3.org/2000/svg">\
        <rect x="2" y="2" width="13" height="13" rx="3.5" fill="#0d6a62"/>\
        <rect x="17" y="2" width="13" height="13" rx="3.5" fill="#3f9f92"/>\
        <rect x="2" y="17" width="13" height="13" rx="3.5" fill="#8fccc2"/>\
        <rect x="18" y="18" width="11" height="11" rx="3" fill="#e0a33b" transform="rotate(12 23.5 23.5)"/></svg>
        """

    /// A tick, for what is always granted.
    static let tick: HTML = """
        <svg viewBox="0 0 20 20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.2" \
        stroke-linecap="round" stroke-linejoin="round"><path d="M4 10.5l4 4 8-9"/></svg>
        """
}

/// Markup.
///
/// Text that is interpolated into it is escaped; only other markup goes in as it is.
struct HTML: Sendable, ExpressibleByStringInterpolation {
    var text: String

    init(stringLiteral value: String) { self.text = value }
    init(stringInterpolation: StringInterpolation) { self.text = stringInterpolation.text }
    private init(text: String) { self.text = text }
    /// Markup of our own that no outside text is part of.
    init(trusted text: String) { self.text = text }

    /// Pieces, one after the other.
    static func joined(_ pieces: [HTML]) -> HTML { HTML(text: pieces.map(\.text).joined(separator: "\n")) }

    /// Text in which no character has a meaning in markup or in a quoted attribute.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\0": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        init(literalCapacity: Int, interpolationCount: Int) { self.text.reserveCapacity(literalCapacity) }
        mutating func appendLiteral(_ literal: String) { self.text += literal }
        mutating func appendInterpolation(_ text: String) { self.text += HTML.escaped(text) }
        mutating func appendInterpolation(_ number: Int) { self.text += String(number) }
        mutating func appendInterpolation(_ markup: HTML) { self.text += markup.text }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import GoogleDriveV3
import Hummingbird
import HTTPTypes
import Tessera

/// The site's pages: no script, no other site's anything, every text escaped.
struct Page: Sendable {
    let title: String
    /// HTML.
    let content: String

    static func home(_ session: OAuthSession?) -> Page {
        guard let session else {
            return Page(
                title: "Files while you are away",
                content: """
                    <p class="lead">Sign in once. This site then lists the newest files of your Drive, and reads them \
                    again while you are away.</p>
                    <p><a class="button" href="/sign-in">Sign in</a></p>
                    """
            )
        }
        return Page(
            title: "Welcome back",
            content: """
                <p class="lead">You are signed in as <strong>\(Self.escaped(session.identity.displayName ?? "yourself"))\
                </strong>.</p>
                <p><a class="button" href="/files">Your files</a></p>
                \(Self.signOut)
                """
        )
    }

    static func files(_ files: [DriveV3.File], _ session: OAuthSession) -> Page {
        let rows = files.map { file in
            // The day, of «2026-03-01T08:30:00Z».
            let day = file.modifiedTime.map { String("\($0)".prefix(10)) } ?? ""
            return "<li><span>\(Self.escaped(file.name ?? "–"))</span><small>\(Self.escaped(day))</small></li>"
        }
        let list = rows.isEmpty ? "<p>Your Drive is empty.</p>" : "<ul>\(rows.joined())</ul>"
        // Without a refresh token nothing can be done for them later.
        let isRenewable = session.record.tokens?.refreshToken != nil
        let notice =
            isRenewable
            ? ""
            : """
            <p class="notice">This site cannot act for you when you are away. \
            <a href="/sign-in?consent=again">Allow it.</a></p>
            """
        return Page(
            title: "Your files",
            content: """
                <p class="lead">The newest in the Drive of <strong>\(Self.escaped(session.identity.displayName ?? "yours"))\
                </strong></p>
                \(notice)\(list)\(Self.signOut)
                """
        )
    }

    static let notGranted = Page(
        title: "Drive is not allowed",
        content: """
            <p class="lead">You signed in, and left Drive unticked: there is nothing to list.</p>
            <p><a class="button" href="/sign-in?consent=again">Choose again</a></p>
            \(Self.signOut)
            """
    )

    static func problem(_ words: String) -> Page {
        Page(
            title: "That did not work",
            content: """
                <p class="lead">\(Self.escaped(words))</p>
                <p><a class="button" href="/sign-in">Sign in</a></p>
                """
        )
    }

    private static let signOut = """
        <form method="post" action="/sign-out"><button>Sign out</button></form>
        <form method="post" action="/sign-out?everywhere=yes"><button class="quiet">Sign out, and take the access back\
        </button></form>
        """

    func response(_ status: HTTPResponse.Status = .ok) -> Response {
        var response = Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8",
                .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
                .xContentTypeOptions: "nosniff",
            ],
            body: .init(byteBuffer: ByteBuffer(string: self.html))
        )
        // No other site learns where people come from.
        if let name = HTTPField.Name("Referrer-Policy") { response.headers[name] = "same-origin" }
        return response
    }

    private var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(Self.escaped(self.title))</title><link rel="stylesheet" href="/style.css">
        </head>
        <body><main><h1>\(Self.escaped(self.title))</h1>
        \(self.content)
        </main></body>
        </html>

        """
    }

    private static func escaped(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    static var style: Response {
        let text = """
            :root { color-scheme: light dark; --ink: #1d2330; --soft: #5c6475; --paper: #f4f5f8; --card: #fff; \
            --line: #dfe2ea; --accent: #2457c5; }
            @media (prefers-color-scheme: dark) { :root { --ink: #e8eaf0; --soft: #a2a9b8; --paper: #14171e; \
            --card: #1d212b; --line: #333947; --accent: #86a8ff; } }
            * { box-sizing: border-box; }
            body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 2rem 1rem; \
            background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
            main { width: 100%; max-width: 34rem; padding: 2.25rem; border: 1px solid var(--line); \
            border-radius: 1rem; background: var(--card); }
            h1 { margin: 0 0 .5rem; font-size: 1.6rem; line-height: 1.2; }
            .lead { margin: 0 0 1.5rem; color: var(--soft); }
            .lead strong { color: var(--ink); }
            .notice { padding: .75rem 1rem; border-left: 3px solid var(--accent); background: var(--paper); }
            a { color: var(--accent); }
            .button, button { display: inline-block; padding: .6rem 1.1rem; border: 1px solid var(--accent); \
            border-radius: .6rem; background: var(--accent); color: var(--card); font: inherit; font-weight: 600; \
            text-decoration: none; cursor: pointer; }
            button { background: none; color: var(--accent); }
            button.quiet { border: 0; padding: 0; color: var(--soft); font-weight: 400; text-decoration: underline; }
            main > :last-child { margin-bottom: 0; }
            :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
            form { margin-top: .75rem; }
            ul { margin: 0 0 1.5rem; padding: 0; list-style: none; border-top: 1px solid var(--line); }
            li { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; padding: .6rem 0; \
            border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
            small { color: var(--soft); white-space: nowrap; }

            """
        return Response(
            status: .ok,
            headers: [.contentType: "text/css; charset=utf-8", .cacheControl: "max-age=3600"],
            body: .init(byteBuffer: ByteBuffer(string: text))
        )
    }
}

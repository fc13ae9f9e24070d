// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import GoogleDriveV3
import Hummingbird
import HTTPTypes
import Tessera

/// A page of the site.
///
/// Pages contain no scripts and no resources of other sites, and all text is escaped.
struct Page: Sendable {
    let title: String
    /// The content below the title, as HTML.
    let content: String

    static func home(_ session: OAuthSession?) -> Page {
        guard let session else {
            return Page(
                title: "Your Drive files, even when you are offline",
                content: """
                    <p class="lead">Sign in once. This site lists your most recent Drive files and keeps reading the \
                    list while you are offline.</p>
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
            // The date part of, for example, "2026-03-01T08:30:00Z".
            let day = file.modifiedTime.map { String("\($0)".prefix(10)) } ?? ""
            return "<li><span>\(Self.escaped(file.name ?? "–"))</span><small>\(Self.escaped(day))</small></li>"
        }
        let list = rows.isEmpty ? "<p>Your Drive is empty.</p>" : "<ul>\(rows.joined())</ul>"
        // Without a refresh token, the backend cannot call the API after the access token expires.
        let isRenewable = session.record.tokens?.refreshToken != nil
        let notice =
            isRenewable
            ? ""
            : """
            <p class="notice">This site cannot read your Drive while you are offline. \
            <a href="/sign-in?consent=again">Allow offline access</a></p>
            """
        return Page(
            title: "Your files",
            content: """
                <p class="lead">The newest files of <strong>\(Self.escaped(session.identity.displayName ?? "yours"))\
                </strong></p>
                \(notice)\(list)\(Self.signOut)
                """
        )
    }

    static let notGranted = Page(
        title: "No access to Drive",
        content: """
            <p class="lead">You signed in without allowing access to Drive, so there are no files to list.</p>
            <p><a class="button" href="/sign-in?consent=again">Allow access</a></p>
            \(Self.signOut)
            """
    )

    static func problem(_ message: String) -> Page {
        Page(
            title: "Something went wrong",
            content: """
                <p class="lead">\(Self.escaped(message))</p>
                <p><a class="button" href="/sign-in">Sign in</a></p>
                """
        )
    }

    private static let signOut = """
        <form method="post" action="/sign-out"><button>Sign out</button></form>
        <form method="post" action="/sign-out?everywhere=yes"><button class="quiet">\
        Sign out everywhere and revoke access</button></form>
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
        // Do not send the address of this site to other sites.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP

/// A page that leads the browser to an address: without a script, and without naming itself to the other page.
struct LaunchPage {
    /// An `http` or `https` address.
    let target: String

    /// The document.
    var html: String {
        let address = HTML.escaped(self.target, limit: .max)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
            <meta name="referrer" content="no-referrer">
            <meta name="robots" content="noindex">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="refresh" content="0; url=\(address)">
            <title>Opening the provider’s page</title>
            </head>
            <body>
            <p>The provider’s page opens now. If it does not, <a href="\(address)" rel="noreferrer">open it here</a>.</p>
            </body>
            </html>

            """
    }

    /// The document as a response that the browser follows before it shows anything.
    var redirect: LoopbackResponse {
        LoopbackResponse(
            status: 302,
            headers: [
                ("Location", self.target),
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Security-Policy", "\(Self.policy); frame-ancestors 'none'"),
                ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"),
                ("X-Content-Type-Options", "nosniff"),
                ("X-Frame-Options", "DENY"),
            ],
            body: Array(self.html.utf8)
        )
    }

    private static let policy = "default-src 'none'; base-uri 'none'; form-action 'none'"
}

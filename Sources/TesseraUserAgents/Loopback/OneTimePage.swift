// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraSupport

/// A listener's page that sends the browser to an address once.
///
/// The page has a random path and is removed after the first request for it.
final class OneTimePage: Sendable {
    private let offered = Mutex<(path: String, target: String)?>(nil)
    private let taken: @Sendable () -> Void

    /// - Parameter taken: Called after the page has been requested.
    init(taken: @escaping @Sendable () -> Void = {}) { self.taken = taken }

    /// Offers the page under a new path, replacing any previous offer.
    func offer(_ target: String) -> String {
        var generator = SystemRandomNumberGenerator()
        let path = "/" + Hexadecimal.text((0..<16).map { _ in generator.next() as UInt8 })
        self.offered.withLock { $0 = (path, target) }
        return path
    }

    /// Withdraws the page.
    func withdraw() { self.offered.withLock { $0 = nil } }

    /// Returns the response to a request for the page, or nil for any other request.
    func response(to request: LoopbackRequest) -> LoopbackResponse? {
        guard request.method == "GET" else { return nil }
        let target = self.offered.withLock { offered -> String? in
            guard let current = offered, current.path == request.target else { return nil }
            offered = nil
            return current.target
        }
        guard let target else { return nil }
        self.taken()
        return LaunchPage(target: target).redirect
    }
}

/// A page without scripts that sends the browser to an address without a referrer.
struct LaunchPage {
    /// An `http` or `https` address.
    let target: String

    /// The HTML document.
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
            <p>Opening the provider’s page. If it does not open, <a href="\(address)" rel="noreferrer">open it here</a>.</p>
            </body>
            </html>

            """
    }

    /// A redirect to the address, with the document as its body.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraSupport

/// A page of a listener that leads the browser to an address once.
///
/// Its path is random, and it is gone after the first request for it.
final class OneTimePage: Sendable {
    private let offered = Mutex<(path: String, target: String)?>(nil)
    private let taken: @Sendable () -> Void

    /// - Parameter taken: Called when the page has been requested.
    init(taken: @escaping @Sendable () -> Void = {}) { self.taken = taken }

    /// Offers the page under a new path, which replaces an earlier one.
    func offer(_ target: String) -> String {
        var generator = SystemRandomNumberGenerator()
        let path = "/" + Hexadecimal.text((0..<16).map { _ in generator.next() as UInt8 })
        self.offered.withLock { $0 = (path, target) }
        return path
    }

    /// Withdraws the page.
    func withdraw() { self.offered.withLock { $0 = nil } }

    /// The response to a request for the page; nil for every other request.
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

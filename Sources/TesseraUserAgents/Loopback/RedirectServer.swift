// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
package import TesseraOAuth

/// Receives redirects on a loopback address for a program that judges them by itself.
///
/// Stops by ``stop()``, or when nobody holds it any more.
package final class RedirectServer: Sendable {
    /// What the program made of a redirect.
    package enum Verdict: Sendable {
        /// The answer that was waited for; the browser goes on to `page`, or is told that it can be closed.
        case accepted(page: String?)
        /// Something else.
        case notOurs
    }

    /// The redirect URI: `http://127.0.0.1:PORT/`.
    package let redirectURI: String
    private let server: LoopbackServer

    private init(_ server: LoopbackServer) {
        self.server = server
        self.redirectURI = server.baseURL + "/"
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - port: a fixed port, 0 for one that the system chooses.
    ///   - insecure: `Insecure.redirectsFromAnyUser` accepts redirects from the processes of all users.
    ///   - overrideName: How a developer gives that permission, for messages.
    ///   - warn: Gets a message when a request is rejected because of the user whose process sent it.
    ///   - receive: judges a redirect, the whole URI as it arrived.
    /// - Returns: the listener, which already listens.
    /// - Throws: what the system says.
    package static func start(
        port: UInt16 = 0,
        insecure: Insecure = [],
        overrideName: String,
        warn: (@Sendable (_ message: String) -> Void)? = nil,
        receive: @escaping @Sendable (_ redirect: String) -> Verdict
    ) throws -> RedirectServer {
        let (pages, authority) = (Pages(), LateValue<String>())
        let gate = RedirectGate(insecure: insecure, pages: pages, overrideName: overrideName, warn: warn)
        let server = try LoopbackServer.start(on: .either, port: port, peers: gate.lookup) { request in
            if let rejection = gate.rejection(of: request) { return rejection }
            let authority = authority.value ?? ""
            // Another name for this address in the Host field: a page of that name was rebound to it.
            guard request.value(of: "Host")?.lowercased() == authority else {
                return .text(status: 400, "Not for us.\n")
            }
            guard request.method == "GET" else {
                return LoopbackResponse(status: 405, headers: [("Allow", "GET"), ("Cache-Control", "no-store")])
            }
            guard request.path == "/" else { return .text(status: 404, "Not found.\n") }
            switch receive("http://\(authority)\(request.target)") {
            case .notOurs: return pages.notOurs()
            case .accepted(nil): return pages.received()
            case .accepted(let page?):
                return LoopbackResponse(status: 302, headers: [("Location", page), ("Cache-Control", "no-store")])
            }
        }
        authority.set("\(server.host):\(server.port)")
        return RedirectServer(server)
    }

    /// Ends listening; an answer on its way is finished.
    package func stop() { self.server.stop() }
}

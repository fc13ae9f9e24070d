// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
package import TesseraOAuth
internal import TesseraSupport

/// Listens for redirects on a loopback address.
///
/// A request is rejected unless it comes from a process that the gate lets in, has the listener's own address in its Host
/// field, and has the path and the method of a redirect. The listener stops by ``stop()``, or when it is released.
package final class LoopbackListener: Sendable {
    /// The redirect URI, such as `http://127.0.0.1:49152/callback`.
    package let redirectURI: String
    /// The host and the port as a browser names them.
    let authority: String
    private let server: LoopbackServer

    var host: String { self.server.host }
    var port: UInt16 { self.server.port }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - redirect: Where to listen.
    ///   - acceptsFormPost: Whether a response is a form that the provider's page posts; otherwise it is a redirect.
    ///   - gate: Rejects the processes of other users.
    ///   - page: The page that leads the browser to the provider.
    ///   - receive: Returns the page for a response that arrived. Nil listens for the one-time page alone.
    /// - Throws: `SignInError` `noListener`, `invalidConfiguration`.
    init(
        _ redirect: LoopbackRedirect = LoopbackRedirect(),
        acceptsFormPost: Bool = false,
        gate: RedirectGate,
        page: OneTimePage,
        receive: (@Sendable (DeliveredResponse) async -> LoopbackResponse)?
    ) throws {
        guard LoopbackRedirect.isPath(redirect.path) else {
            throw SignInError(.invalidConfiguration, detail: "the redirect URI's path must begin with a slash")
        }
        do throws(LoopbackError) {
            self.server = try LoopbackServer.start(on: redirect.address, port: redirect.port, peers: gate.lookup) {
                request in
                if let rejection = gate.rejection(of: request) { return rejection }
                let authority = redirect.authority(of: request.authority)
                // Another name for this address in the Host field: a page of that name was rebound to it.
                guard request.value(of: "Host")?.lowercased() == authority else {
                    return .text(status: 400, "Not for us.\n")
                }
                if let response = page.response(to: request) { return response }
                guard let receive, request.path == redirect.path else { return .text(status: 404, "Not found.\n") }
                let method = acceptsFormPost ? "POST" : "GET"
                guard request.method == method else {
                    return LoopbackResponse(status: 405, headers: [("Allow", method), ("Cache-Control", "no-store")])
                }
                let uri = "http://\(authority)\(request.target)"
                guard acceptsFormPost else { return await receive(.redirect(uri)) }
                // It comes from the provider's page: another origin is normal here, and `state` tells whether it is ours.
                guard let form = request.form else { return .text(status: 415, "Not a form.\n") }
                return await receive(.formPost(to: uri, body: form))
            }
        } catch  where error.isPortTaken {
            throw SignInError(.noListener, detail: "port \(redirect.port) is in use")
        } catch {
            throw SignInError(.noListener, detail: "\(error)")
        }
        self.authority = redirect.authority(of: "\(self.server.host):\(self.server.port)")
        self.redirectURI = "http://\(self.authority)\(redirect.path)"
    }

    /// Starts to listen for a program that decides by itself which redirects it accepts.
    ///
    /// - Parameters:
    ///   - port: A fixed port, 0 for one that the system chooses.
    ///   - insecure: `Insecure.redirectsFromAnyUser` accepts redirects from the processes of all users.
    ///   - overrideName: How a developer gives that permission, for messages.
    ///   - successPage: Where the browser goes after the accepted redirect; nil shows a page that can be closed.
    ///   - warn: Gets a message when a request is rejected because of the user whose process sent it.
    ///   - accept: Returns whether it accepts a redirect, the whole URI as it arrived.
    /// - Throws: `SignInError` `noListener`.
    package convenience init(
        port: UInt16 = 0,
        insecure: Insecure = [],
        overrideName: String,
        successPage: String? = nil,
        warn: (@Sendable (_ message: String) -> Void)? = nil,
        accept: @escaping @Sendable (_ redirect: String) -> Bool
    ) throws {
        let pages = Pages()
        try self.init(
            LoopbackRedirect(port: port),
            gate: RedirectGate(insecure: insecure, pages: pages, overrideName: overrideName, warn: warn),
            page: OneTimePage()
        ) { response in
            guard accept(response.uri) else { return pages.unrelated() }
            guard let successPage else { return pages.received() }
            return LoopbackResponse(status: 302, headers: [("Location", successPage), ("Cache-Control", "no-store")])
        }
    }

    /// Stops listening; a response on its way is finished.
    package func stop() { self.server.stop() }

    /// Returns when the listener has stopped and the last response is on its way.
    func stopped() async { await self.server.stopped() }
}

extension LoopbackRequest {
    /// The form in the body; nil if the body is not one.
    fileprivate var form: String? {
        let type = (self.value(of: "Content-Type") ?? "").prefix { $0 != ";" && $0 != " " }
        guard type.lowercased() == "application/x-www-form-urlencoded" else { return nil }
        return String(wellFormedUTF8: self.body)
    }
}

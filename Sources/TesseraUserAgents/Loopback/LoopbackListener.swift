// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
package import TesseraOAuth
internal import TesseraSupport

/// An HTTP server that receives redirects on a loopback address.
///
/// A request is accepted only if the gate admits its process, its `Host` header names this listener, and its path and
/// method match those of a redirect. The listener stops when ``stop()`` is called or when it is released.
package final class LoopbackListener: Sendable {
    /// The redirect URI, such as `http://127.0.0.1:49152/callback`.
    package let redirectURI: String
    /// The host and port as the browser sends them in the `Host` header.
    let authority: String
    private let server: LoopbackServer

    var host: String { self.server.host }
    var port: UInt16 { self.server.port }

    /// Creates and starts a listener.
    ///
    /// - Parameters:
    ///   - redirect: The host, port and path to listen on.
    ///   - acceptsFormPost: Whether to accept form posts instead of redirects (`response_mode=form_post`).
    ///   - gate: Rejects requests from other users' processes.
    ///   - page: The page that sends the browser to the provider.
    ///   - receive: Returns the page for a received response. If it is nil, the listener serves only the one-time page.
    /// - Throws: `SignInError` with the code `noListener` or `invalidConfiguration`.
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
                // Reject other host names to protect against DNS rebinding.
                guard redirect.isAuthority(authority, request.value(of: "Host")) else {
                    return .text(status: 400, "Invalid Host header.\n")
                }
                if let response = page.response(to: request) { return response }
                guard let receive, request.path == redirect.path else { return .text(status: 404, "Not found.\n") }
                let method = acceptsFormPost ? "POST" : "GET"
                guard request.method == method else {
                    return LoopbackResponse(status: 405, headers: [("Allow", method), ("Cache-Control", "no-store")])
                }
                let uri = "http://\(authority)\(request.target)"
                guard acceptsFormPost else { return await receive(.redirect(uri)) }
                // The provider's page posts the form, so the origin differs. The caller validates the form by its
                // `state`.
                guard let form = request.form else { return .text(status: 415, "Expected a form.\n") }
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

    /// Creates and starts a listener for a program that decides which redirects to accept.
    ///
    /// - Parameters:
    ///   - port: A fixed port, or 0 to let the system choose one.
    ///   - insecure: `Insecure.redirectsFromAnyUser` accepts redirects from any user's processes.
    ///   - overrideName: The name of the setting that grants this permission, for use in messages.
    ///   - successPage: The page to which an accepted redirect leads, or nil to show a page that the user can close.
    ///   - warn: Called with a message when a request is rejected because its process belongs to another user.
    ///   - accept: Returns whether to accept a redirect, given the complete URI.
    /// - Throws: `SignInError` with the code `noListener`.
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

    /// Stops listening after completing the responses that are being sent.
    package func stop() { self.server.stop() }

    /// Waits until the listener has stopped and the last response has been sent.
    func stopped() async { await self.server.stopped() }
}

extension LoopbackRequest {
    /// The form in the body, or nil if the body is not a form.
    fileprivate var form: String? {
        let type = (self.value(of: "Content-Type") ?? "").prefix { $0 != ";" && $0 != " " }
        guard type.lowercased() == "application/x-www-form-urlencoded" else { return nil }
        return String(wellFormedUTF8: self.body)
    }
}

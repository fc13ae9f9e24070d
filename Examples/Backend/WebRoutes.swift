// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Hummingbird
import HTTPTypes
import Tessera
import TesseraOAuth

/// The routes for browsers: `/`, `/sign-in`, `/callback` and `/sign-out`.
struct WebRoutes: Sendable {
    let backend: Backend
    /// How long a user has for a sign-in.
    private static let lifetime = Duration.seconds(600)

    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { request, _ in
            let subject = try await self.backend.visitors.subject(of: request)
            let session = if let subject { try await self.backend.session(of: subject) } else { OAuthSession?.none }
            return Page.home(session).response()
        }
        router.get("style.css") { _, _ in Page.style }
        router.get("sign-in") { request, _ in try await self.begin(request) }
        router.get("callback") { request, _ in try await self.finish(request) }
        router.post("sign-out") { request, _ in try await self.end(request) }
    }

    private func begin(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        // Accept only paths of this site, so that a link to this page cannot send the user to another site after
        // sign-in.
        let text = query["return_to"].map { String($0) } ?? "/files"
        guard let path = LocalPath(text) else {
            throw HTTPError(.badRequest, message: "return_to is not a path of this site.")
        }
        var options = SignInOptions()
        options.clientType = "web"
        options.timeout = Self.lifetime
        // Google issues a refresh token only with the first consent, unless the request asks for consent again.
        if query["consent"] == "again" { options.prompt = [.consent] }
        let known = Visitors.cookie(Visitors.attemptCookie, of: request).map { Secret($0) }
        let browser = known ?? self.backend.web.newBrowser()
        let url = try await self.backend.web.begin(
            scopes: Backend.scopes,
            in: browser,
            returningTo: path,
            options: options
        )
        var response = Response.redirect(to: url, type: .found)
        let seconds = Int(Self.lifetime.components.seconds)
        response.setCookie(Visitors.cookie(Visitors.attemptCookie, browser.withUnredacted { $0 }, seconds: seconds))
        response.headers[.cacheControl] = "no-store"
        return response
    }

    private func finish(_ request: Request) async throws -> Response {
        guard let browser = Visitors.cookie(Visitors.attemptCookie, of: request) else {
            throw HTTPError(
                .forbidden,
                message: "This browser has not begun a sign-in in the last ten minutes. Sign in again."
            )
        }
        let arrival = try await self.backend.web.finish(
            self.backend.settings.publicURL + request.uri.string,
            in: Secret(browser)
        )
        // End the browser's previous session, because another person may know its value.
        try await self.backend.visitors.dismiss(request)
        let value = try await self.backend.visitors.welcome(arrival.session.account)
        var response = Response.redirect(to: arrival.path.path, type: .normal)
        response.setCookie(Visitors.sessionCookie(value))
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Ends the browser's session.
    ///
    /// With `everywhere`, also revokes the access at the provider and ends all of the user's sessions. Until the access is
    /// revoked, the job continues to call the API for the user.
    private func end(_ request: Request) async throws -> Response {
        // Browsers do not send `Lax` cookies with another site's form. Check the origin as a second line of defense.
        if let origin = request.headers[.origin], origin != self.backend.settings.publicURL {
            throw HTTPError(.forbidden, message: "The form was sent by another site.")
        }
        let subject = try await self.backend.visitors.subject(of: request)
        if request.uri.queryParameters["everywhere"] == "yes", let subject {
            try await self.backend.session(of: subject)?.disconnect()
            try await self.backend.visitors.dismissAll(of: subject)
        }
        try await self.backend.visitors.dismiss(request)
        var response = Response.redirect(to: "/", type: .normal)
        response.setCookie(Visitors.noSessionCookie)
        return response
    }
}

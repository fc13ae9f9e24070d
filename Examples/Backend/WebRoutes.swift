// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Hummingbird
import HTTPTypes
import Tessera
import TesseraOAuth

/// What browsers ask: `/`, `/sign-in`, `/callback`, `/sign-out`.
struct WebRoutes: Sendable {
    let backend: Backend

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
        // Only a path of this site: a link here must not send people elsewhere after they have signed in.
        let text = query["return_to"].map { String($0) } ?? "/files"
        guard let path = LocalPath(text) else {
            throw HTTPError(.badRequest, message: "return_to is no path of this site.")
        }
        var options = SignInOptions()
        options.clientType = "web"
        // Google gives a refresh token with the first consent only, unless it is asked for a new one.
        if query["consent"] == "again" { options.prompt = [.consent] }
        let known = request.cookies[Visitors.attemptCookie].map { Secret($0.value) }
        let browser = known ?? self.backend.web.newBrowser()
        let url = try await self.backend.web.begin(
            scopes: Backend.scopes,
            in: browser,
            returningTo: path,
            options: options
        )
        var response = Response.redirect(to: url, type: .found)
        response.setCookie(Visitors.cookie(Visitors.attemptCookie, browser.withUnredacted { $0 }, seconds: 600))
        response.headers[.cacheControl] = "no-store"
        return response
    }

    private func finish(_ request: Request) async throws -> Response {
        guard let browser = request.cookies[Visitors.attemptCookie] else {
            throw HTTPError(
                .forbidden,
                message: "This browser has not begun a sign-in here, or more than ten minutes ago. Begin again."
            )
        }
        let arrival = try await self.backend.web.finish(
            self.backend.settings.publicURL + request.uri.string,
            in: Secret(browser.value)
        )
        // Whatever session the browser came with ends: somebody else may know it.
        try await self.backend.visitors.dismiss(request)
        let value = try await self.backend.visitors.welcome(arrival.session.account)
        var response = Response.redirect(to: arrival.path.path, type: .normal)
        response.setCookie(Visitors.sessionCookie(value))
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Signs out here; the backend goes on acting for the person, until they take the access back (`everywhere`).
    private func end(_ request: Request) async throws -> Response {
        // Lax cookies do not come with another site's form; what browsers say about the sender is looked at all the same.
        if let origin = request.headers[.origin], origin != self.backend.settings.publicURL {
            throw HTTPError(.forbidden, message: "The form was sent by another site.")
        }
        let subject = try await self.backend.visitors.subject(of: request)
        if request.uri.queryParameters["everywhere"] == "yes", let subject,
            let session = try await self.backend.session(of: subject)
        {
            try await session.disconnect()
        }
        try await self.backend.visitors.dismiss(request)
        var response = Response.redirect(to: "/", type: .normal)
        response.setCookie(Visitors.noSessionCookie)
        return response
    }
}

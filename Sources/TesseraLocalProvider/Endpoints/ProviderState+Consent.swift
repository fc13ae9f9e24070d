// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension ProviderState {
    /// The account chooser's form.
    mutating func accountChoice(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        do throws(AuthorizationFailure) {
            let form = try self.ownForm(request)
            var (key, attempt) = try self.openAttempt(form, at: now)
            if form["action"] == "cancel" {
                self.attempts.remove(key, at: now)
                return self.refusal(attempt, "access_denied", after: request)
            }
            guard let subject = form["account"], let account = self.account(subject),
                self.candidates(attempt).contains(account)
            else {
                throw AuthorizationFailure(code: "invalid_request", explanation: "That account is not on the list.")
            }
            attempt.subject = subject
            attempt.authenticatedAt = now
            if self.needsConsent(attempt) {
                self.attempts.set(key, attempt, until: attempt.deadline, at: now)
                return self.consentPage(attempt, account, key: key)
            }
            self.attempts.remove(key, at: now)
            return self.grant(attempt, scopes: attempt.scopes, after: request, at: now, consented: false)
        } catch {
            return self.errorPage(error)
        }
    }

    /// The consent page's form.
    mutating func consent(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        do throws(AuthorizationFailure) {
            let form = try self.ownForm(request)
            var (key, attempt) = try self.openAttempt(form, at: now)
            guard attempt.subject != nil, let action = form["action"], ["allow", "cancel"].contains(action) else {
                throw AuthorizationFailure(code: "invalid_request", explanation: "The form is not complete.")
            }
            self.attempts.remove(key, at: now)
            if action == "cancel" { return self.refusal(attempt, "access_denied", after: request) }
            let ticked = Set(form.values("scope").map { ScopeCatalog.canonical($0) })
            let scopes = attempt.scopes.filter { ScopeCatalog.isSignIn($0) || ticked.contains($0) }
            guard !scopes.isEmpty else { return self.refusal(attempt, "access_denied", after: request) }
            attempt.authenticatedAt = attempt.authenticatedAt ?? now
            return self.grant(attempt, scopes: scopes, after: request, at: now, consented: true)
        } catch {
            return self.errorPage(error)
        }
    }

    /// A form that our own page sent: browsers name the page's origin, and other programs need not.
    private func ownForm(_ request: EndpointRequest) throws(AuthorizationFailure) -> FormParameters {
        if let origin = request.headers[.origin], origin.lowercased() != self.origin(of: request) {
            throw AuthorizationFailure(
                code: "invalid_request",
                explanation: "The form was sent by another site.",
                status: .forbidden
            )
        }
        guard request.contentType == "application/x-www-form-urlencoded",
            let form = try? FormParameters(decoding: request.body)
        else { throw AuthorizationFailure(code: "invalid_request", explanation: "That is not a well-formed form.") }
        return form
    }

    private func origin(of request: EndpointRequest) -> String {
        let scheme = self.options.tls ? "https" : "http"
        return "\(scheme)://\(request.authority ?? "")".lowercased()
    }

    private func openAttempt(
        _ form: FormParameters,
        at now: Int64
    ) throws(AuthorizationFailure) -> (key: String, attempt: AuthorizationAttempt) {
        guard let key = form["attempt"], let attempt = self.attempts.entry(key, at: now) else {
            throw AuthorizationFailure(
                code: "expired",
                explanation: "This page was used before, or waited too long. Start the sign-in again in your app.",
                title: "This page is used up"
            )
        }
        return (key, attempt)
    }

    /// Gives the client a code for `scopes` and sends the browser home.
    mutating func grant(
        _ attempt: AuthorizationAttempt,
        scopes: [String],
        after request: EndpointRequest,
        at now: Int64,
        consented: Bool
    ) -> EndpointResponse {
        guard let subject = attempt.subject else { return self.refusal(attempt, "server_error", after: request) }
        let grant = GrantKey(clientID: attempt.client.id, subject: subject)
        let earlier = self.consents[grant] ?? []
        self.consents[grant] = earlier.union(scopes)
        let all = attempt.includesGrantedScopes ? scopes + earlier.subtracting(scopes).sorted() : scopes
        let code = "4/" + self.randomText()
        self.codes.set(
            code,
            AuthorizationCode(
                clientID: attempt.client.id,
                redirectURI: attempt.redirectURI,
                codeChallenge: attempt.codeChallenge,
                subject: subject,
                scopes: all,
                nonce: attempt.nonce,
                authenticatedAt: attempt.maximumAge == nil ? nil : attempt.authenticatedAt,
                isOffline: attempt.client.kind == .installed || attempt.isOffline && consented,
                audience: attempt.audience,
                deadline: now + Self.codeLifetime
            ),
            until: now + 2 * Self.codeLifetime,
            at: now
        )
        var parameters = [(name: "code", value: code), ("scope", all.joined(separator: " ")), ("authuser", "0")]
        if let domain = self.account(subject)?.hostedDomain { parameters.append(("hd", domain)) }
        parameters.append(("prompt", consented ? "consent" : "none"))
        return self.remembering(subject, since: attempt.authenticatedAt ?? now, request, at: now) { state in
            state.redirect(attempt, parameters, after: request)
        }
    }

    /// Sends the browser home with an error.
    func refusal(_ attempt: AuthorizationAttempt, _ code: String, after request: EndpointRequest) -> EndpointResponse {
        self.redirect(attempt, [("error", code)], after: request)
    }

    private func redirect(
        _ attempt: AuthorizationAttempt,
        _ parameters: [(name: String, value: String)],
        after request: EndpointRequest
    ) -> EndpointResponse {
        var all = attempt.state.map { [(name: "state", value: $0)] } ?? []
        if self.behaviour.sendsIssuerInRedirects { all.append(("iss", self.baseURL)) }
        all += parameters
        return .redirect(to: attempt.redirectURI.addingQuery(all), after: request.method)
    }

    /// Adds the account to those that this browser signed in, and sets the cookie on the response.
    private mutating func remembering(
        _ subject: String,
        since time: Int64,
        _ request: EndpointRequest,
        at now: Int64,
        _ answer: (Self) -> EndpointResponse
    ) -> EndpointResponse {
        let known = request.cookie(RememberedBrowser.cookieName)
        let browser = known.flatMap { self.browsers.entry($0, at: now) }
        var remembered = browser ?? RememberedBrowser()
        remembered.accounts[subject] = time
        let key = browser == nil ? self.randomText() : known ?? self.randomText()
        self.browsers.set(key, remembered, until: now + RememberedBrowser.lifetime, at: now)
        var response = answer(self)
        let attributes = "Path=/; Max-Age=\(RememberedBrowser.lifetime); HttpOnly; SameSite=Lax"
        let secure = self.options.tls ? "; Secure" : ""
        response.headers[.setCookie] = "\(RememberedBrowser.cookieName)=\(key); \(attributes)\(secure)"
        return response
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension ProviderState {
    /// The authorization endpoint: checks the request, then shows the first page, or answers at once.
    mutating func authorization(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        do throws(AuthorizationFailure) {
            let attempt = try self.attempt(try Self.authorizationParameters(request), at: now)
            if attempt.prompts.contains("none") { return self.silentAnswer(attempt, request, at: now) }
            return self.firstPage(attempt, request, at: now)
        } catch {
            return self.errorPage(error)
        }
    }

    private static func authorizationParameters(
        _ request: EndpointRequest
    ) throws(AuthorizationFailure) -> FormParameters {
        let isForm = request.contentType == "application/x-www-form-urlencoded"
        guard request.method == .get || request.method == .post && isForm else {
            throw AuthorizationFailure(
                code: "invalid_request",
                explanation: "Send the request as a GET, or as a form.",
                status: .methodNotAllowed
            )
        }
        do {
            return try request.method == .get
                ? FormParameters(decoding: request.query) : FormParameters(decoding: request.body)
        } catch {
            throw AuthorizationFailure(code: "invalid_request", explanation: "The request is not a well-formed query.")
        }
    }

    /// The accounts that the request allows: those of the domain that `hd` names, or all.
    func candidates(_ attempt: AuthorizationAttempt) -> [LocalProviderAccount] {
        switch attempt.hostedDomain {
        case nil: self.options.accounts
        case "*": self.options.accounts.filter { $0.hostedDomain != nil }
        case let domain: self.options.accounts.filter { $0.hostedDomain == domain }
        }
    }

    private mutating func firstPage(
        _ attempt: AuthorizationAttempt,
        _ request: EndpointRequest,
        at now: Int64
    ) -> EndpointResponse {
        let hinted = attempt.loginHint.flatMap { self.account(hint: $0) }
        guard let hinted, self.candidates(attempt).contains(hinted),
            attempt.prompts.isDisjoint(with: ["select_account", "login"])
        else {
            let key = self.keep(attempt, at: now)
            return self.accountPage(attempt, key: key)
        }
        var attempt = attempt
        attempt.subject = hinted.subject
        attempt.authenticatedAt = self.signInTime(of: hinted, attempt, request, at: now)
        let isSignedIn = attempt.authenticatedAt != nil
        if isSignedIn, !self.needsConsent(attempt) {
            return self.grant(attempt, scopes: attempt.scopes, after: request, at: now, consented: false)
        }
        let key = self.keep(attempt, at: now)
        return self.consentPage(attempt, hinted, key: key)
    }

    /// `prompt=none`: a code, or an error on the redirect, never a page.
    private mutating func silentAnswer(
        _ attempt: AuthorizationAttempt,
        _ request: EndpointRequest,
        at now: Int64
    ) -> EndpointResponse {
        let hinted = attempt.loginHint.flatMap { self.account(hint: $0) }
        let signedIn = self.candidates(attempt)
            .filter { attempt.loginHint == nil || $0 == hinted }
            .filter { self.signInTime(of: $0, attempt, request, at: now) != nil }
        guard let account = signedIn.first else { return self.refusal(attempt, "login_required", after: request) }
        guard signedIn.count == 1 else { return self.refusal(attempt, "interaction_required", after: request) }
        var attempt = attempt
        attempt.subject = account.subject
        attempt.authenticatedAt = self.signInTime(of: account, attempt, request, at: now)
        guard !self.needsConsent(attempt) else { return self.refusal(attempt, "consent_required", after: request) }
        return self.grant(attempt, scopes: attempt.scopes, after: request, at: now, consented: false)
    }

    /// When the account signed in at this browser, unless that is longer ago than the request allows.
    private func signInTime(
        of account: LocalProviderAccount,
        _ attempt: AuthorizationAttempt,
        _ request: EndpointRequest,
        at now: Int64
    ) -> Int64? {
        guard let cookie = request.cookie(RememberedBrowser.cookieName),
            let time = self.browsers.entry(cookie, at: now)?.accounts[account.subject]
        else { return nil }
        if let maximumAge = attempt.maximumAge, now - time > maximumAge { return nil }
        return time
    }

    /// Whether the person must be asked: always with `prompt=consent`, else when something was not granted before.
    func needsConsent(_ attempt: AuthorizationAttempt) -> Bool {
        guard let subject = attempt.subject, !attempt.prompts.contains("consent") else { return true }
        let granted = self.consents[GrantKey(clientID: attempt.client.id, subject: subject)] ?? []
        return !granted.isSuperset(of: attempt.scopes)
    }

    /// Remembers an attempt; the key returned is the secret that its forms carry.
    private mutating func keep(_ attempt: AuthorizationAttempt, at now: Int64) -> String {
        let key = self.randomText()
        self.attempts.set(key, attempt, until: attempt.deadline, at: now)
        return key
    }
}
#endif

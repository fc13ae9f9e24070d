// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraSupport

extension SimulatedProvider {
    /// Shows the provider's page to the user, who consents.
    ///
    /// - Parameter url: The URL of the authorization request. Its `login_hint` is the subject of the user, and `consent`
    ///   is the number of the consent if it is repeated.
    /// - Returns: The URI of the redirect, and the time in nanoseconds that the user takes, or nil if the request is not
    ///   valid.
    func authorize(_ url: String) -> (redirect: String, delay: Int64)? {
        guard let issuer = SimulatedIssuer.allCases.first(where: { url.hasPrefix($0.url + "/") }),
            let query = URIParts(url)?.query, let form = try? FormParameters(decoding: query),
            form["response_type"] == "code", let state = form["state"], let redirectURI = form["redirect_uri"],
            let subject = form["login_hint"]
        else { return nil }
        let (number, delay) = self.state.withLock { provider in
            provider.lastCode += 1
            provider.codes[provider.lastCode] = Code(
                name: issuer.name(of: subject),
                nonce: form["nonce"],
                consent: form["consent"].flatMap { Int($0) },
                work: SimulatedProvider.WorkConsent(form)
            )
            return (provider.lastCode, provider.additional.time(1_000_000_000...20_000_000_000))
        }
        return ("\(redirectURI)?code=code-\(number)&state=\(state)", delay)
    }

    /// Responds to a token request with an authorization code, which is valid once.
    func exchange(_ request: SimulatedRequest, _ number: Int) -> SimulatedResponse {
        let time = self.simulation.scheduler.time
        let code = request.formValue("code").flatMap { Int($0.dropFirst("code-".count)) } ?? 0
        let issued = self.state.withLock { $0.consent(withCode: code, at: time) }
        guard let (refresh, access, lifetime, nonce) = issued else { return Self.error("invalid_grant") }
        self.simulation.record(
            .exchanged(refresh, access: access, request: number, lifetime: lifetime),
            by: .provider
        )
        if SimulatedIssuer(of: access.subject) == .work {
            return self.workResponse(to: request, access, refresh, lifetime: lifetime, nonce: nonce)
        }
        var response = SimulatedResponse(
            .ok,
            """
            {"access_token": "\(access)", "token_type": "Bearer", "expires_in": \(lifetime)\
            \(refresh.map { #", "refresh_token": "\#($0)""# } ?? "")\(self.idTokenMember(with: access, nonce: nonce))}
            """
        )
        response.refreshToken = refresh
        return response
    }
}

extension SimulatedProvider.State {
    fileprivate mutating func consent(
        withCode code: Int,
        at time: Int64
    ) -> (refresh: SimulatedToken?, access: SimulatedToken, lifetime: Int, nonce: String?)? {
        guard let code = self.codes.removeValue(forKey: code) else { return nil }
        let lifetime = self.lifetime(of: code.name)
        let expiration = time + Int64(lifetime) * 1_000_000_000
        if SimulatedIssuer(of: code.name) == .work, self.settings.deviations.contains(.noRefreshToken) {
            let access = self.consentWithoutRefreshToken(code, until: expiration)
            return (nil, access, lifetime, code.nonce)
        }
        if let known = code.consent, self.consents.indices.contains(known), !self.consents[known].isRevoked {
            self.lastToken += 1
            self.consents[known].accessTokens[self.lastToken] = expiration
            let access = SimulatedToken(.access, subject: code.name, consent: known, number: self.lastToken)
            return (nil, access, lifetime, code.nonce)
        }
        let number = self.consents.count
        let refresh = SimulatedToken(.refresh, subject: code.name, consent: number, number: self.lastToken + 1)
        let access = SimulatedToken(.access, subject: code.name, consent: number, number: self.lastToken + 2)
        self.lastToken += 2
        var consent = SimulatedProvider.Consent(subject: code.name, current: refresh.number)
        consent.accessTokens[access.number] = expiration
        consent.work = code.work
        self.consents.append(consent)
        return (refresh, access, lifetime, code.nonce)
    }
}

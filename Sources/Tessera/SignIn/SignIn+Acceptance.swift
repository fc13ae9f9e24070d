// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

extension SignIn {
    /// Turns a code into a saved session: exchange, checks, save, and only then the session.
    func accept(
        _ response: AuthorizationResponse,
        _ consent: Consent,
        _ options: SignInOptions
    ) async throws -> OAuthSession {
        let runtime = self.connection.runtime
        let obtainedAt = runtime.now()
        // A code is sent once: after a failure here the person starts anew.
        let answer = try await TokenEndpoint(connection: self.connection, logger: self.logger)
            .send(.authorizationCode(response), grantType: "authorization_code")
        let claims = try await self.validatedClaims(answer, response, options)
        let subject = try await self.subject(answer, claims, options)
        let provider = try await self.connection.resolvedProvider()
        let account = Account(issuer: provider.issuer.url, clientID: provider.client.clientID, subject: subject)
        if let expected = consent.expected, expected.account != account {
            throw SignInError(.accountMismatch, detail: "the answer is about another person")
        }
        try Self.check(claims, options.requiredClaims)

        return try await self.store.update(account) { entry in
            let previous = try await entry.load().map { self.session(of: account)?.newest($0) ?? $0 }
            if consent.expected != nil, previous == nil { throw SessionEnded(.signedOut) }
            let record = self.record(
                account,
                answer,
                claims,
                consent,
                options,
                provider,
                previous: previous,
                obtainedAt: obtainedAt
            )
            try await entry.save(record)
            // Still under the account's lock: a refresh that comes next finds the new consent in memory too.
            return self.session(record, isNewConsent: true)
        }
    }

    private func validatedClaims(
        _ answer: TokenResponse,
        _ response: AuthorizationResponse,
        _ options: SignInOptions
    ) async throws -> IDTokenClaims? {
        guard let idToken = answer.idToken else { return nil }
        var policy = self.connection.idTokenPolicy(nonce: response.nonceRule, accessToken: answer.accessToken)
        policy.maxAge = options.maxAge
        policy.code = response.code
        return try await self.connection.validate(idToken, policy: policy).claims
    }

    private func subject(
        _ answer: TokenResponse,
        _ claims: IDTokenClaims?,
        _ options: SignInOptions
    ) async throws -> String {
        switch options.identity {
        case .idToken:
            guard let claims else {
                throw ProtocolViolation(
                    .idTokenMissing,
                    expected: "an id_token",
                    section: "OpenID Connect Core 1.0, section 3.1.3.3"
                )
            }
            return claims.subject
        case .caller(let identify):
            return try await identify(answer.accessToken)
        }
    }

    private static func check(_ claims: IDTokenClaims?, _ required: [String: String]) throws {
        for (name, value) in required.sorted(by: { $0.key < $1.key }) {
            let actual = claims?.document[name]?.string
            guard actual == value else {
                throw SignInError(
                    .domainMismatch,
                    detail:
                        "\(name) should be \(value) and is \(actual.map { TextFromOutside.printable($0) } ?? "missing")"
                )
            }
        }
    }

    private func record(
        _ account: Account,
        _ answer: TokenResponse,
        _ claims: IDTokenClaims?,
        _ consent: Consent,
        _ options: SignInOptions,
        _ provider: Provider,
        previous: SessionRecord?,
        obtainedAt: Date
    ) -> SessionRecord {
        let earlier = consent.expected ?? previous
        let kept = previous?.tokens.flatMap { answer.refreshToken == nil && $0.refreshToken != nil ? $0 : nil }
        let aliases = provider.scopeAliases
        let requested = consent.expected.map { aliases.union($0.grant.requested, consent.scopes) } ?? consent.scopes
        var origins = earlier?.authorizedOrigins ?? []
        for origin in provider.authorizedOrigins + options.authorizedOrigins where !origins.contains(origin) {
            origins.append(origin)
        }
        let refreshTokenExpiresAt = answer.refreshTokenExpiresIn.map { obtainedAt.addingTimeInterval(Double($0)) }
        return SessionRecord(
            account: account,
            generation: (previous?.generation ?? 0) + 1,
            tokens: TokenSet(
                accessToken: answer.accessToken,
                tokenType: answer.tokenType,
                obtainedAt: obtainedAt,
                lifetime: answer.expiresIn,
                // A provider that gives no second refresh token (Google, to web clients) means: keep the first. Its ID
                // token stays with it: what a refresh brings has to fit the sign-in that the refresh token came from.
                refreshToken: answer.refreshToken ?? kept?.refreshToken,
                idToken: kept?.idToken ?? answer.idToken
            ),
            // RFC 6749, section 5.1: without `scope` the grant is what was asked for.
            grant: Grant(requested: requested, granted: answer.scope ?? consent.scopes, aliases: aliases),
            identity: claims.map { Identity($0, label: options.label ?? earlier?.identity.label) }
                ?? earlier?.identity ?? Identity(label: options.label),
            provider: provider,
            authorizedOrigins: origins,
            history: SessionHistory(
                consentedAt: obtainedAt,
                refreshTokenExpiresAt: refreshTokenExpiresAt,
                clientType: options.clientType ?? earlier?.history.clientType
            )
        )
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraJOSE
internal import TesseraOAuth

// The ID token of a refresh.
extension OAuthSession {
    /// What came of checking an ID token.
    enum IDTokenCheck: Sendable {
        /// The token passed.
        case passed(Secret)
        /// The token breaks a rule. It is not taken, and the access token beside it is not used.
        ///
        /// Both are saved as expired, since the refresh token beside them may have replaced the one before.
        case failed(ProtocolViolationError)
        /// The response has no ID token, or the provider's keys are out of reach: the ID token of the sign-in stays.
        case unknown
    }

    /// What, in a refreshed ID token with a good signature, says that it speaks of another person, client or sign-in.
    private static let identityRules: Set<ProtocolViolationError.Rule> = [
        .idTokenContinuity, .jwtIssuer, .jwtAudience, .idTokenAuthorizedParty, .idTokenNonce,
    ]

    /// The end of the session, if a violation ends it.
    package static func end(by violation: ProtocolViolationError) -> SessionEndedError? {
        if self.identityRules.contains(violation.rule) { return SessionEndedError(.identityChanged) }
        return violation.rule == .idTokenRequiredClaim ? SessionEndedError(.claimChanged) : nil
    }

    /// Checks the ID token of a refresh against the record from before the refresh.
    ///
    /// A wrong clock here does not cost the session its tokens: where the response shows how far the clock is from the
    /// provider's, the token may also be valid by the provider's clock.
    func check(_ idToken: Secret, of response: TokenResponse, to refresh: SentRefresh) async -> IDTokenCheck {
        let clockSkew = self.skew(response, sentAt: refresh.begunAt) ?? 0
        do {
            do {
                return .passed(try await self.validate(idToken, beside: response.accessToken, over: refresh.base))
            } catch ProtocolViolationError.Rule.jwtTime where clockSkew != 0 {
                return .passed(
                    try await self.validate(idToken, beside: response.accessToken, over: refresh.base, clockSkew)
                )
            }
        } catch let violation as ProtocolViolationError {
            return .failed(violation)
        } catch {
            // The provider's keys are out of reach, whatever the network calls it.
            return .unknown
        }
    }

    private func validate(
        _ idToken: Secret,
        beside accessToken: Secret,
        over base: SessionRecord,
        _ clockSkew: Int64 = 0
    ) async throws -> Secret {
        let previous = base.tokens?.idToken
        let validated = try await self.validate(idToken, after: previous, accessToken: accessToken, clockSkew)
        if let mismatch = RequiredClaims(base.requiredClaims).contradiction(in: validated.claims) {
            throw ProtocolViolationError(
                .idTokenRequiredClaim,
                expected: "\(mismatch.name) to be \(mismatch.expected)",
                actual: mismatch.actual,
                section: "OpenID Connect Core 1.0, section 12.2"
            )
        }
        return validated.token
    }

    /// The program's server, where the ID token was made out to it (``SignInOptions/serverClientID``): the next one is
    /// asked for in the same way, as Google's own libraries do.
    func foreignAudience(of tokens: TokenSet) -> String? {
        guard let audience = tokens.idToken.flatMap({ try? IDTokenClaims(unverified: $0) })?.audience,
            !audience.contains(where: self.account.clientID.isExactly)
        else { return nil }
        return audience.first
    }

    private func validate(
        _ idToken: Secret,
        after previous: Secret?,
        accessToken: Secret,
        _ clockSkew: Int64
    ) async throws -> ValidatedIDToken {
        let before = try previous.map { try IDTokenClaims(unverified: $0) }
        var policy = self.connection.idTokenPolicy(
            nonce: .absentOrEqual(before?.nonce.map(Secret.init)),
            accessToken: accessToken
        )
        policy.otherAudiences = before?.audience ?? []
        policy.otherAuthorizedParties = before?.authorizedParty.map { [$0] } ?? []
        let validated = try await self.connection.validate(idToken, policy: policy, clockSkew: clockSkew)
        if let before { try validated.checkContinuity(from: before) }
        return validated
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraJOSE
internal import TesseraJSON
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
        let validated = try await self.connection.validate(
            idToken,
            beside: accessToken,
            nonce: .absentOrEqual(nil),
            after: try base.tokens?.idToken.map { try IDTokenClaims(unverified: $0) },
            clockSkew: clockSkew
        )
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
}

/// Claims that the program requires of ID tokens, by name.
struct RequiredClaims: Sendable {
    let values: [String: String]

    init(_ values: [String: String]) { self.values = values }

    /// A claim with another value than the required one.
    struct Mismatch: Sendable {
        let name: String
        let expected: String
        /// What the token has, made printable.
        let actual: String

        var text: String { "\(self.name) should be \(self.expected) and is \(self.actual)" }
    }

    /// Returns the first claim that the ID token of a sign-in lacks or has with another value.
    func mismatch(at signIn: IDTokenClaims?) -> Mismatch? { self.mismatch(in: signIn, ignoresAbsent: false) }

    /// Returns the first claim that a later ID token has with another value; an absent claim keeps its earlier value.
    func contradiction(in later: IDTokenClaims) -> Mismatch? { self.mismatch(in: later, ignoresAbsent: true) }

    private func mismatch(in claims: IDTokenClaims?, ignoresAbsent: Bool) -> Mismatch? {
        for (name, expected) in self.values.sorted(by: { $0.key < $1.key }) {
            let claim = claims?.document[name].flatMap { $0.isNull ? nil : $0 }
            guard let claim else {
                if ignoresAbsent { continue }
                return Mismatch(name: name, expected: expected, actual: "missing")
            }
            if claim.string?.isExactly(expected) == true { continue }
            let actual = claim.string.map { UntrustedText.printable($0) } ?? "a value of kind \(claim.kind)"
            return Mismatch(name: name, expected: expected, actual: actual)
        }
        return nil
    }
}

extension SessionRecord {
    /// Whether the session's user has these claims, by the newest word on each.
    func has(_ claims: [String: String]) -> Bool {
        guard !claims.isEmpty else { return true }
        let idToken = self.tokens?.idToken.flatMap { try? IDTokenClaims(unverified: $0) }
        return claims.allSatisfy { name, value in
            if let required = self.requiredClaims[name] { return required.isExactly(value) }
            let claim = idToken?.document[name].flatMap { $0.isNull ? nil : $0 }
            // An ID token of a refresh may leave the claims of the sign-in out.
            let known = claim.map(\.string) ?? self.identity.claim(name)
            return known?.isExactly(value) ?? false
        }
    }
}

extension Identity {
    /// A claim that was taken from the ID token of the sign-in.
    fileprivate func claim(_ name: String) -> String? {
        switch name {
        case "email": self.email
        case "hd": self.hostedDomain
        case "sid": self.sessionID
        default: nil
        }
    }
}

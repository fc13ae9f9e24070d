// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

// Validation of the ID token in a refresh response.
extension OAuthSession {
    /// The result of checking an ID token.
    enum IDTokenCheck: Sendable {
        /// The token is valid.
        case passed(Secret)
        /// The token violates a rule, so neither it nor the access token of the same response is used.
        ///
        /// The access token is saved as expired, because the response may also have replaced the refresh token.
        case failed(ProtocolViolationError)
        /// The response has no ID token, or the provider's keys are unavailable. The session retains its ID token.
        case unknown
    }

    /// The rules whose violation shows that a correctly signed ID token belongs to another user, client or sign-in.
    private static let identityRules: Set<ProtocolViolationError.Rule> = [
        .idTokenContinuity, .jwtIssuer, .jwtAudience, .idTokenAuthorizedParty, .idTokenNonce,
    ]

    /// Returns the error that ends the session, or nil if the violation does not end it.
    package static func end(by violation: ProtocolViolationError) -> SessionEndedError? {
        if self.identityRules.contains(violation.rule) { return SessionEndedError(.identityChanged) }
        return violation.rule == .idTokenRequiredClaim ? SessionEndedError(.claimChanged) : nil
    }

    /// Checks the ID token from a refresh against the record that preceded the refresh.
    ///
    /// If this computer's clock is wrong, the session does not lose its tokens. If the response reveals the clock
    /// difference, a token that is valid by the provider's clock is also accepted.
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
            // The provider's keys could not be fetched.
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

    /// Returns the ID token's audience if it is the app's server (``SignInOptions/serverClientID``), or nil otherwise.
    ///
    /// A refresh requests the next ID token for the same audience, as Google's own libraries do.
    func foreignAudience(of tokens: TokenSet) -> String? {
        guard let audience = tokens.idToken.flatMap({ try? IDTokenClaims(unverified: $0) })?.audience,
            !audience.contains(where: self.account.clientID.isExactly)
        else { return nil }
        return audience.first
    }
}

/// The claims that the app requires in ID tokens, by name.
struct RequiredClaims: Sendable {
    let values: [String: String]

    init(_ values: [String: String]) { self.values = values }

    /// A claim whose value differs from the required one.
    struct Mismatch: Sendable {
        let name: String
        let expected: String
        /// The claim's value in printable form.
        let actual: String

        var text: String { "\(self.name) should be \(self.expected), but is \(self.actual)" }
    }

    /// Returns the first required claim that is missing from a sign-in's ID token or has a different value there.
    func mismatch(at signIn: IDTokenClaims?) -> Mismatch? { self.mismatch(in: signIn, ignoresAbsent: false) }

    /// Returns the first required claim that has a different value in a later ID token.
    ///
    /// A claim that is missing from the token keeps its earlier value.
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
    /// The provider's identifier for the user, which differs from the account's if the app chose that
    /// (``IdentitySource/caller(_:)``) and there is an ID token.
    var providerSubject: String {
        self.tokens?.idToken.flatMap { try? IDTokenClaims(unverified: $0) }?.subject ?? self.account.subject
    }

    /// Returns whether the session's user has these claims, according to the latest known values.
    func has(_ claims: [String: String]) -> Bool {
        guard !claims.isEmpty else { return true }
        let idToken = self.tokens?.idToken.flatMap { try? IDTokenClaims(unverified: $0) }
        return claims.allSatisfy { name, value in
            if let required = self.requiredClaims[name] { return required.isExactly(value) }
            let claim = idToken?.document[name].flatMap { $0.isNull ? nil : $0 }
            // An ID token from a refresh may omit claims that the sign-in's ID token contained.
            let known = claim.map(\.string) ?? self.identity.claim(name)
            return known?.isExactly(value) ?? false
        }
    }
}

extension Identity {
    /// Returns the value of a claim from the sign-in's ID token.
    fileprivate func claim(_ name: String) -> String? {
        switch name {
        case "email": self.email
        case "hd": self.hostedDomain
        case "sid": self.sessionID
        default: nil
        }
    }
}

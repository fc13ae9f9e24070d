// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
public import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// An authorization server with an API, in a simulation.
///
/// It has two other issuers with ID tokens, which are not public.
public final class SimulatedProvider: Sendable {
    /// What the provider does with the refresh token in a refresh request.
    public enum RefreshTokens: Sendable, Hashable, CaseIterable {
        /// Refresh tokens are valid until the user revokes access.
        case fixed
        /// Each refresh replaces the refresh token.
        case rotating
        /// Each refresh replaces the refresh token. If a replaced token is used, the user's access is revoked.
        case rotatingWithReuseDetection
        /// Each refresh replaces the refresh token. For another minute, a replaced token is accepted and returns the
        /// current one again.
        case rotatingWithGracePeriod
    }

    /// The settings of a provider.
    public struct Settings: Sendable, Hashable {
        /// How refresh tokens are treated.
        public var refreshTokens = RefreshTokens.rotatingWithReuseDetection
        /// The lifetime of access tokens in seconds.
        public var lifetime = 600
        /// The probability of a 503 response, in percent.
        public var unavailable = 0
        /// The probability that a refresh is declined as temporarily unavailable, in percent.
        public var declined = 0
        /// How the program is registered at the third issuer.
        public var registration = Registration.boundTokens
        /// How the responses of the third issuer differ from the usual ones.
        public var deviations: Set<Deviation> = []

        /// Creates the settings of a provider that rotates refresh tokens.
        public init() {}
    }

    struct Consent: Sendable {
        let subject: String
        var isRevoked = false
        /// The number of the current refresh token.
        var current: Int
        /// The replaced refresh tokens, with the times of their replacement.
        var replaced: [Int: Int64] = [:]
        /// The expiration times of the access tokens.
        var accessTokens: [Int: Int64] = [:]
        /// The details of a consent at the third issuer.
        var work = WorkConsent()
    }

    /// An authorization code that has not been used.
    struct Code: Sendable {
        /// The name of the account.
        let name: String
        let nonce: String?
        /// The consent that the user had given before, which is repeated.
        let consent: Int?
        var work = WorkConsent()
    }

    struct State: Sendable {
        var random: SeededGenerator
        /// The random numbers for uploads, calls, consents and the second issuer.
        var additional: SeededGenerator
        var settings = Settings()
        var consents: [Consent] = []
        var lastToken = 0
        var codes: [Int: Code] = [:]
        var lastCode = 0
        /// How often the key that signs ID tokens has been replaced.
        var keyRotations = 0
        /// The number of the consent to which the tokens of programs without a user belong.
        var serviceConsent: Int?
    }

    /// The provider's issuer identifier.
    public static let issuer = "https://provider.example"
    /// The origin of the provider's API.
    public static let api = "https://api.example"
    /// The identifier of the client.
    public static let clientID = "client"

    unowned let simulation: Simulation
    let state: Mutex<State>
    let uploads: SimulatedUploads
    private let service: SimulatedService

    init(in simulation: Simulation) {
        self.simulation = simulation
        self.state = Mutex(State(random: simulation.generator(.provider), additional: simulation.generator(.calls, 3)))
        self.uploads = SimulatedUploads(
            random: simulation.generator(.calls, 4),
            additional: simulation.generator(.fetch, 2)
        )
        self.service = SimulatedService(random: simulation.generator(.fetch, 3))
    }

    /// The provider's current settings.
    public var settings: Settings {
        get { self.state.withLock { $0.settings } }
        set { self.state.withLock { $0.settings = newValue } }
    }

    /// The configuration for the library's sign-in.
    public var provider: Provider { get throws { try self.provider(.oauth) } }

    /// Returns the configuration for sign-ins with an issuer.
    func provider(_ issuer: SimulatedIssuer) throws -> Provider {
        if issuer == .work { return try self.workProvider() }
        let url = issuer.url
        let keys = #", "jwks_uri": "\#(url + Self.keysPath)", "id_token_signing_alg_values_supported": ["ES256"]"#
        return Provider(
            name: "Example",
            issuer: try Issuer(url),
            metadata: try ServerMetadata(
                parsing: Array(
                    """
                    {"issuer": "\(url)", "authorization_endpoint": "\(url)/authorize", \
                    "token_endpoint": "\(url)/token", "revocation_endpoint": "\(url)/revoke", \
                    "response_types_supported": ["code"]\(issuer == .openID ? keys : "")}
                    """
                    .utf8
                )
            ),
            client: OAuthClient(clientID: Self.clientID),
            authorizedOrigins: try issuer.origins.map { try OriginPattern($0) }
        )
    }

    /// Returns the refresh token of a new consent, as another library that the user signed in with would have it.
    public func makeConsent(of subject: String) -> ExistingCredentials {
        let token = self.state.withLock { state in
            state.lastToken += 1
            state.consents.append(Consent(subject: subject, current: state.lastToken))
            return SimulatedToken(
                .refresh,
                subject: subject,
                consent: state.consents.count - 1,
                number: state.lastToken
            )
        }
        self.simulation.record(.consented(token), by: .provider)
        return ExistingCredentials(refreshToken: Secret("\(token)"), scopes: SimulatedIssuer(of: subject).scopes)
    }

    /// Revokes all consents of a user, as on the provider's account page.
    public func revoke(_ subject: String) {
        let revoked = self.state.withLock { state in
            state.consents.indices.filter { index in
                guard state.consents[index].subject == subject, !state.consents[index].isRevoked else { return false }
                state.consents[index].isRevoked = true
                return true
            }
        }
        for consent in revoked { self.simulation.record(.revoked(consent: consent), by: .provider) }
    }

    /// Makes the API reject all current access tokens of a user.
    public func invalidateAccessTokens(of subject: String) {
        self.state.withLock { state in
            for index in state.consents.indices where state.consents[index].subject == subject {
                state.consents[index].accessTokens = [:]
            }
        }
        self.simulation.record(.invalidated(subject: subject), by: .provider)
    }

    /// Makes the API forget all resumable uploads that are not complete.
    public func loseUploads() {
        self.uploads.forgetUnfinished()
        self.simulation.record(.uploadsLost, by: .provider)
    }

    /// Returns whether the token endpoint would accept a refresh token.
    func accepts(_ token: SimulatedToken) -> Bool {
        let time = self.simulation.scheduler.time
        return self.state.withLock { state in
            guard state.consents.indices.contains(token.consent) else { return false }
            let consent = state.consents[token.consent]
            return !consent.isRevoked && (consent.current == token.number || state.isInGracePeriod(token, at: time))
        }
    }

    // MARK: Requests

    func respond(to request: SimulatedRequest, request number: Int) -> SimulatedResponse {
        let isUnavailable = self.state.withLock { state in
            request.isAdditional
                ? state.additional.chance(state.settings.unavailable) : state.random.chance(state.settings.unavailable)
        }
        if isUnavailable { return SimulatedResponse(.serviceUnavailable) }
        guard let issuer = SimulatedIssuer.allCases.first(where: { $0.accepts(request.origin) })
        else { return SimulatedResponse(.notFound) }
        guard request.origin == issuer.url else {
            return SimulatedUploads.isSession(request.path)
                ? self.upload(request) : self.api(request.path, request)
        }
        if issuer == .work, let response = self.respondAtWork(to: request, number) { return response }
        switch request.path {
        case "/token": return self.token(request, number)
        case "/revoke": return self.revoke(request)
        case Self.keysPath where issuer == .openID: return self.keys()
        default: return SimulatedResponse(.notFound)
        }
    }

    /// Receives the first half of a request, whose connection is then lost.
    func receiveHalf(of request: SimulatedRequest) {
        guard SimulatedUploads.isSession(request.path) else { return }
        let half = SimulatedRequest(head: request.head, body: Array(request.body.prefix(request.body.count / 2)))
        _ = self.upload(half)
    }

    private func upload(_ request: SimulatedRequest) -> SimulatedResponse {
        self.uploads.respond(to: request) {
            self.simulation.record($0, by: .provider)
        } misaligned: {
            self.simulation.report(.uploadArrivesOnce, $0)
        }
    }

    private func token(_ request: SimulatedRequest, _ number: Int) -> SimulatedResponse {
        if request.formValue("grant_type") == "authorization_code" { return self.exchange(request, number) }
        guard request.formValue("grant_type") == "refresh_token",
            let token = request.refreshToken.flatMap(SimulatedToken.init)
        else { return Self.error("invalid_request") }
        if let error = self.wrongProof(in: request, for: token) { return error }
        let isDeclined = self.state.withLock { $0.settings.declined > 0 && $0.random.chance($0.settings.declined) }
        if isDeclined { return Self.error("temporarily_unavailable") }
        let time = self.simulation.scheduler.time
        let result = self.state.withLock { $0.refresh(token, at: time) }
        switch result {
        case .rejected:
            self.simulation.record(.rejected(token, request: number), by: .provider)
            return self.refusal(of: token)
        case .reused:
            self.simulation.record(.reuseDetected(token, request: number), by: .provider)
            return self.refusal(of: token)
        case .refreshed(let access, let refresh, let lifetime):
            self.simulation.record(
                .refreshed(token, access: access, refresh: refresh, request: number, lifetime: lifetime),
                by: .provider
            )
            if SimulatedIssuer(of: access.subject) == .work {
                return self.workResponse(to: request, access, refresh, lifetime: lifetime)
            }
            let refreshMember = refresh.map { #", "refresh_token": "\#($0)""# } ?? ""
            let members = refreshMember + self.idTokenMember(with: access)
            var response = SimulatedResponse(
                .ok,
                #"{"access_token": "\#(access)", "token_type": "Bearer", "expires_in": \#(lifetime)\#(members)}"#
            )
            response.refreshToken = refresh
            return response
        }
    }

    private func revoke(_ request: SimulatedRequest) -> SimulatedResponse {
        guard let token = request.formValue("token").flatMap(SimulatedToken.init) else {
            return Self.error("invalid_request")
        }
        let isNew = self.state.withLock { state in
            // A replaced refresh token is no longer known, so revoking it has no effect.
            guard state.consents.indices.contains(token.consent), !state.consents[token.consent].isRevoked,
                token.kind == .access || state.consents[token.consent].current == token.number
            else { return false }
            state.consents[token.consent].isRevoked = true
            return true
        }
        if isNew { self.simulation.record(.revoked(consent: token.consent), by: .provider) }
        return SimulatedResponse(.ok)
    }

    /// Returns whether a request has an access token that is valid.
    func isAuthorized(_ request: SimulatedRequest) -> Bool {
        let time = self.simulation.scheduler.time
        return self.state.withLock { state in
            guard let token = request.accessToken.flatMap(SimulatedToken.init), token.kind == .access,
                state.consents.indices.contains(token.consent)
            else { return false }
            let consent = state.consents[token.consent]
            return !consent.isRevoked && time < consent.accessTokens[token.number] ?? .min
                && consent.work.accepts(request, token)
        }
    }

    private func api(_ path: String, _ request: SimulatedRequest) -> SimulatedResponse {
        guard self.isAuthorized(request) else { return Self.challenge(request) }
        switch path {
        case "/upload":
            return SimulatedResponse(.ok, fields: [.location: self.uploads.begin(request.upload ?? 0)])
        case "/import": return self.uploads.beginImport(request)
        case let path where SimulatedService.contains(path): return self.service.respond(to: request)
        case "/objects":
            self.simulation.record(.created(upload: request.upload ?? 0, SimulatedContent(request.body)), by: .provider)
            return SimulatedResponse(.ok, #"{"name": "new"}"#)
        case "/redirect", "/moved":
            return SimulatedResponse(.temporaryRedirect, fields: [.location: "https://elsewhere.example/files"])
        default: return SimulatedResponse(.ok, #"{"files": []}"#)
        }
    }

    static func error(_ code: String) -> SimulatedResponse {
        SimulatedResponse(.badRequest, #"{"error": "\#(code)"}"#)
    }
}

extension SimulatedProvider.State {
    enum RefreshResult {
        case refreshed(access: SimulatedToken, refresh: SimulatedToken?, lifetime: Int)
        case rejected
        case reused
    }

    func isInGracePeriod(_ token: SimulatedToken, at time: Int64) -> Bool {
        guard self.settings.refreshTokens == .rotatingWithGracePeriod,
            let replacedAt = self.consents[token.consent].replaced[token.number]
        else { return false }
        return time - replacedAt < 60_000_000_000
    }

    mutating func refresh(_ token: SimulatedToken, at time: Int64) -> RefreshResult {
        guard self.consents.indices.contains(token.consent) else { return .rejected }
        let consent = self.consents[token.consent]
        guard !consent.isRevoked else { return .rejected }
        let isCurrent = consent.current == token.number
        guard isCurrent || self.isInGracePeriod(token, at: time) else {
            guard self.settings.refreshTokens == .rotatingWithReuseDetection, consent.replaced[token.number] != nil
            else { return .rejected }
            self.consents[token.consent].isRevoked = true
            return .reused
        }
        self.lastToken += 1
        let access = SimulatedToken(.access, subject: token.subject, consent: token.consent, number: self.lastToken)
        let lifetime = self.lifetime(of: token.subject)
        self.consents[token.consent].accessTokens[access.number] = time + Int64(lifetime) * 1_000_000_000
        guard self.settings.refreshTokens != .fixed else {
            return .refreshed(access: access, refresh: nil, lifetime: lifetime)
        }
        if isCurrent {
            self.lastToken += 1
            self.consents[token.consent].replaced[token.number] = time
            self.consents[token.consent].current = self.lastToken
        }
        let current = self.consents[token.consent].current
        let refresh = SimulatedToken(.refresh, subject: token.subject, consent: token.consent, number: current)
        return .refreshed(access: access, refresh: refresh, lifetime: lifetime)
    }
}

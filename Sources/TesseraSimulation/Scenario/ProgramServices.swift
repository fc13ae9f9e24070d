// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraSupport

/// The access tokens of programs that act for themselves at the third issuer, without a user.
final class ProgramServices: Sendable {
    private struct Key: Hashable {
        let process: ProcessID
        let kind: SessionOperation.Kind
    }

    private struct State {
        var sources: [Key: CredentialTokenSource] = [:]
        /// The times at which each process has first received each token.
        var received: [ProcessID: [SimulatedToken: Int64]] = [:]
    }

    private let simulation: Simulation
    private let state = Mutex(State())

    init(in simulation: Simulation) { self.simulation = simulation }

    /// Requests a token, and checks that it is the program's own and had not expired before the request began.
    func token(_ kind: SessionOperation.Kind, _ signIn: SignIn, _ process: SimulatedProcess) async throws {
        let source = self.source(kind, signIn, process)
        let begunAt = self.simulation.scheduler.time
        let token = try await source.accessToken().secret.withUnredacted { SimulatedToken($0) }
        guard process.isRunning else { return }
        guard let token, token.subject == SimulatedProvider.service else {
            let detail = "process \(process.id) received \(token as Any) instead of its token"
            self.simulation.report(.accountsAreSeparate, detail)
            return
        }
        let now = self.simulation.scheduler.time
        let receivedAt = self.state.withLock { state in
            let first = state.received[process.id]?[token] ?? now
            state.received[process.id, default: [:]][token] = first
            return first
        }
        let expiration = self.simulation.provider.expiration(ofServiceToken: token)
        guard receivedAt < begunAt, let expiration, expiration < begunAt else { return }
        let detail = "process \(process.id) received \(token) for itself, which had expired"
        self.simulation.report(.expiredTokenIsNotReturned, detail)
    }

    /// Calls the API.
    func call(_ signIn: SignIn, _ process: SimulatedProcess) async throws {
        let source = self.source(.serviceToken, signIn, process)
        let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: SimulatedIssuer.work.apiHost,
            path: "/files"
        )
        let (_, body) = try await AuthorizedFetcher(source, runtime: process.runtime).send(request)
        _ = try await body.collect(upTo: 1 << 20)
    }

    /// Exchanges a session's token for an access token, and for a token that cannot be used as one.
    func exchange(_ session: OAuthSession, _ signIn: SignIn, _ process: SimulatedProcess) async throws {
        for type in [TokenTypeIdentifier.accessToken, .jwt] {
            let source = CredentialTokenSource(signIn.provider, runtime: process.runtime) { _ in
                .tokenExchange(
                    subject: SecurityToken(try await session.accessToken().secret, type: .accessToken),
                    requestedType: type
                )
            }
            let token: SimulatedToken?
            do {
                token = try await source.accessToken().secret.withUnredacted { SimulatedToken($0) }
            } catch is ProtocolViolationError where type == .jwt {
                continue
            }
            guard process.isRunning, type == .jwt || token?.subject != session.account.name else { continue }
            let detail = "process \(process.id) received \(token as Any) for \(session.account.name)"
            self.simulation.report(.accountsAreSeparate, detail)
        }
    }

    /// Returns the process's source of tokens, or creates it.
    private func source(
        _ kind: SessionOperation.Kind,
        _ signIn: SignIn,
        _ process: SimulatedProcess
    ) -> CredentialTokenSource {
        let source = self.state.withLock { state in
            let key = Key(process: process.id, kind: kind)
            if let known = state.sources[key] { return known }
            let source = kind == .assertedToken ? Self.asserted(signIn, process) : Self.own(signIn, process)
            state.sources[key] = source
            return source
        }
        if !Mirror(reflecting: source).children.isEmpty || "\(source)".contains("access.") {
            let detail = "process \(process.id) printed its source of tokens with a token"
            self.simulation.report(.onlyAuthorizedOrigins, detail)
        }
        return source
    }

    private static func own(_ signIn: SignIn, _ process: SimulatedProcess) -> CredentialTokenSource {
        .clientCredentials(
            signIn.provider,
            scopes: ["files"],
            resources: ["https://\(SimulatedIssuer.work.apiHost)/"],
            runtime: process.runtime
        )
    }

    private static func asserted(_ signIn: SignIn, _ process: SimulatedProcess) -> CredentialTokenSource {
        .jwtBearer(
            signIn.provider,
            assertion: TokenAssertion(issuer: "service", subject: nil, audience: SimulatedIssuer.work.url),
            signedBy: SimulatedKeys.key(after: 6),
            runtime: process.runtime
        )
    }
}

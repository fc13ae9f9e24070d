// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// The operations of programs that print sessions, check claims, cache narrowed tokens or act without a user.
///
/// They have their own random numbers.
final class ProgramDetails: Sendable {
    /// The cache of a process for an account's narrowed tokens.
    private struct CacheKey: Hashable {
        let process: ProcessID
        let name: String
    }

    private struct NotNarrowedError: Error {}

    private static let second: Int64 = 1_000_000_000

    let simulation: Simulation
    private let calls: ProgramCalls
    private let services: ProgramServices
    private let random: Mutex<SeededGenerator>
    private let caches = Mutex<[CacheKey: TokenCache<NarrowedToken>]>([:])

    init(in simulation: Simulation, calls: ProgramCalls) {
        self.simulation = simulation
        self.calls = calls
        self.services = ProgramServices(in: simulation)
        self.random = Mutex(simulation.generator(.session, 1))
    }

    /// Performs an operation, and returns the access token of a session if it returns one.
    func result(
        of operation: SessionOperation,
        _ id: Int,
        in program: SimulatedProgram
    ) async throws -> SimulatedToken? {
        let name = operation.subject
        let signIn = program.signIn(with: SimulatedIssuer(of: name))
        switch operation.kind {
        case .serviceToken, .assertedToken: try await self.services.token(operation.kind, signIn, program.process)
        case .serviceCall: try await self.services.call(signIn, program.process)
        case .serverSignIn: return try await self.signInForServer(name, signIn, program)
        case .claims: try await self.restoreWithClaim(name, signIn, id)
        case .endedSession: try await self.useEnded(name, program, id)
        case .keyRemoval: try await self.removeKey(name, signIn, program)
        case .defaultAccount: try await self.select(name, signIn, id)
        default:
            let session = try await program.session(of: name) { self.random.withLock { $0.chance(20) } }
            switch operation.kind {
            case .userInfo: try await self.requestClaims(of: session, id)
            case .details: self.describe(session, id, program.process)
            case .cachedToken: try await self.cachedToken(of: session, id, program.process)
            case .exchangedToken: try await self.services.exchange(session, signIn, program.process)
            default: try await self.refreshRepeatedly(session, in: program.process)
            }
        }
        return nil
    }

    // MARK: Sign-ins and claims

    /// Signs in without the claims that other sign-ins require.
    private func signInForServer(
        _ name: String,
        _ signIn: SignIn,
        _ program: SimulatedProgram
    ) async throws -> SimulatedToken? {
        var options = ProgramCalls.options(name)
        options.requiredClaims = [:]
        let scopes = SimulatedIssuer(of: name).scopes
        let server = SimulatedProvider.serverClientID
        let session = try await signIn.signIn(scopes: scopes, forServer: server, options: options).session
        program.sessions.withLock { $0[name] = session }
        return try await session.accessToken().secret.withUnredacted { SimulatedToken($0) }
    }

    private func restoreWithClaim(_ name: String, _ signIn: SignIn, _ id: Int) async throws {
        let subject = SimulatedIssuer(of: name).subject(of: name)
        let claims = [
            ("hd", "example.com"), ("hd", "example.com"), ("hd", "example.com"), ("hd", "example.org"),
            ("email", "\(subject)@example.com"), ("sid", "session"), ("name", "nobody"), ("tenant", "work"),
        ]
        let (claim, value) = self.random.withLock { claims[$0.below(claims.count)] }
        let session = try await signIn.restore(Account(named: name), requiredClaims: [claim: value])
        guard let session else { return }
        if session.account != Account(named: name) || ["example.org", "nobody"].contains(value) {
            let detail = "operation \(id) restored \(session.account.name), whose \(claim) is not \(value)"
            self.simulation.report(.accountsAreSeparate, detail)
        }
    }

    private func requestClaims(of session: OAuthSession, _ id: Int) async throws {
        let claims = try await session.userInfo()
        guard claims["sub"]?.string != session.account.subject else { return }
        self.simulation.report(
            .accountsAreSeparate,
            "operation \(id) received another user's claims for \(session.account.name)"
        )
    }

    private func select(_ name: String, _ signIn: SignIn, _ id: Int) async throws {
        let accounts = try await signIn.accounts()
        guard accounts.contains(Account(named: name)) else { return }
        try await signIn.select(Account(named: name))
        guard let session = try await signIn.restore(), !accounts.contains(session.account) else { return }
        self.simulation.report(
            .accountsAreSeparate,
            "operation \(id) restored \(session.account.name), which was not in the list of accounts"
        )
    }

    /// Saves the record as a program that restores a backup without keys and documents.
    private func removeKey(_ name: String, _ signIn: SignIn, _ program: SimulatedProgram) async throws {
        try await signIn.store.update(Account(named: name)) { entry in
            guard var record = try await entry.load(), record.dpopKey != nil else { return }
            self.simulation.record(.keyRemoved(subject: name), by: .process(program.process.id))
            record.dpopKey = nil
            record.provider.metadata = nil
            // As when an account is selected, the generation remains, because another process may hold unsaved tokens.
            try await entry.save(record)
        }
    }

    // MARK: Sessions

    /// Prints what a program shows about an account, and checks that it fits together.
    private func describe(_ session: OAuthSession, _ id: Int, _ process: SimulatedProcess) {
        let record = session.record
        var problems: [String] = []
        let scopes = session.grantedScopes
        if scopes.unrequested.contains(where: scopes.requested.contains) { problems.append("scopes") }
        let claims = session.idToken.flatMap { try? IDTokenClaims(unverified: $0) }
        if let claims, claims.subject != session.account.subject { problems.append("an ID token") }
        if session.expiresAt != record.tokens?.expiresAt { problems.append("an expiration time") }
        if session.provider.issuer.url != session.account.issuer { problems.append("an issuer") }
        let fresh = record.freshToken(validFor: .seconds(5), now: process.runtime.now())
        if let fresh, fresh.secret != record.tokens?.accessToken { problems.append("an access token") }
        let copy = try? SessionRecord(decoding: record.encoded(), location: "memory")
        if copy?.account != record.account || copy?.tokens?.refreshToken != record.tokens?.refreshToken {
            problems.append("a record")
        }
        let text =
            (["\(session) of \(session.account.id) by \(session.transport)"] + session.findings().map(\.cause))
            .joined(separator: "\n")
        self.check(text, of: id)
        for problem in problems {
            self.simulation.report(.accountsAreSeparate, "operation \(id) printed \(problem) that is not the session's")
        }
    }

    /// Uses a session object that has ended, which must fail unless the user consents again meanwhile.
    private func useEnded(_ name: String, _ program: SimulatedProgram, _ id: Int) async throws {
        let known = program.sessions.withLock { $0[name] }
        let session = known?.ended == nil ? program.ended.withLock { $0[name] } : known
        guard let session, let ended = session.ended else { return }
        for await event in session.events() {
            self.simulation.report(.endedSessionDoesNotReturn, "operation \(id) received \(event) after the end")
        }
        self.check(session.findings(after: ended).map(\.cause).joined(separator: "\n"), of: id)
        do {
            _ = try await session.userInfo()
        } catch {
            self.show(error, of: id)
        }
        do {
            let token = try await session.narrowed(to: SimulatedIssuer(of: name).scopes)
            guard token != nil, session.ended != nil else { return }
            self.simulation.report(.endedSessionDoesNotReturn, "operation \(id) narrowed a token of an ended session")
        } catch let ended as SessionEndedError {
            self.show(ended, of: id)
        }
    }

    /// Refreshes for 40 seconds, and requests a narrowed token in every third request.
    private func refreshRepeatedly(_ session: OAuthSession, in process: SimulatedProcess) async throws {
        let end = self.simulation.scheduler.time + 40 * Self.second
        let scopes = SimulatedIssuer(of: session.account.name).scopes
        var count = 0
        while self.simulation.scheduler.time < end, process.isRunning {
            count += 1
            do {
                if count % 3 == 0 { _ = try await session.narrowed(to: scopes) } else { try await session.refresh() }
            } catch let ended as SessionEndedError {
                throw ended
            } catch {}
            try await process.clock.sleep(for: .milliseconds(100))
        }
    }

    /// Requests a narrowed token from a cache, and then a replacement for it.
    private func cachedToken(of session: OAuthSession, _ id: Int, _ process: SimulatedProcess) async throws {
        let name = session.account.name
        let cache = self.caches.withLock { caches in
            let key = CacheKey(process: process.id, name: name)
            let runtime = process.runtime
            // Some programs use the clocks of the runtime, and others only its uptime.
            let cache =
                caches[key]
                ?? (process.id % 2 == 0 ? TokenCache(runtime: runtime) : TokenCache(uptime: runtime.uptime))
            caches[key] = cache
            return cache
        }
        let narrow: TokenCache<NarrowedToken>.Operation = { [weak cache] _ in
            guard let current = try await session.narrowed(to: SimulatedIssuer(of: name).scopes) else {
                throw NotNarrowedError()
            }
            let dueAt = min(current.dueAt, process.runtime.uptime() + 2 * Self.second)
            cache?.publish(CurrentToken(current.token, dueAt: dueAt, expiredAt: current.expiredAt), isReplacement: true)
            return current.token
        }
        let token = try await cache.token(validFor: .seconds(5), narrow)
        try await process.clock.sleep(for: .seconds(4))
        let newer = try await cache.token(narrow)
        let replacement = try await cache.replacement(forRejected: newer, narrow)
        for token in [token, newer, replacement] {
            let simulated = token.token.secret.withUnredacted { SimulatedToken($0) }
            guard simulated?.subject != name else { continue }
            self.simulation.report(.accountsAreSeparate, "operation \(id) of \(name) received \(simulated as Any)")
        }
    }

    // MARK: Messages

    /// Shows an error to the user as a program does.
    func show(_ error: any Error, of id: Int) {
        guard let guidance = error as? any ErrorGuidance else { return }
        let advice = guidance.endsSession ? "" : guidance.isRetryable ? " Try again." : " Ask for help."
        var lines = ["\(guidance.description)\(advice)", guidance.recoverySuggestion ?? ""]
        switch error {
        case SessionEndedError.Code.signedOut: lines.append("Goodbye.")
        case let ended as SessionEndedError:
            lines += ended.findings.map { "\($0.certainty): \($0.cause) \($0.fix)" }
        default: break
        }
        self.check(lines.joined(separator: "\n"), of: id)
    }

    /// Checks that a text for the user contains no token.
    private func check(_ text: String, of id: Int) {
        guard SimulatedToken.mayBegin(in: text) else { return }
        self.simulation.report(.onlyAuthorizedOrigins, "operation \(id) printed a token: \(text)")
    }
}

extension SessionOperation.Kind {
    /// Whether the operation is one of ``ProgramDetails``.
    var isDetail: Bool {
        switch self {
        case .userInfo, .details, .claims, .serverSignIn, .cachedToken, .endedSession, .keyRemoval, .defaultAccount,
            .refreshes, .serviceToken, .assertedToken, .serviceCall, .exchangedToken:
            true
        default: false
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// A running program of a ``SessionScenario``, with its sessions.
final class SimulatedProgram: Sendable {
    private struct NoSessionError: Error {}

    let process: SimulatedProcess
    let store: RecordingStore
    /// The kind of store, or nil for the machine's keyring.
    let kind: SessionPlan.StoreKind?
    private let providers: [SimulatedIssuer: Provider]
    private let signIns = Mutex<[SimulatedIssuer: SignIn]>([:])
    let sessions = Mutex<[String: OAuthSession]>([:])
    /// The last session object of each subject that has ended.
    let ended = Mutex<[String: OAuthSession]>([:])
    /// The session objects that the program retains after their sessions are restored as other objects.
    let kept = Mutex<[String: OAuthSession]>([:])

    /// Creates a program, which uses its machine's keyring if `store` is nil.
    init(
        _ process: SimulatedProcess,
        store: SessionPlan.StoreKind?,
        providers: [SimulatedIssuer: Provider]
    ) throws {
        self.process = process
        self.providers = providers
        self.kind = store
        switch store {
        case nil: self.store = process.recordingKeyringStore()
        case .files: self.store = process.recordingFileStore()
        case .memory: self.store = process.recordingMemoryStore()
        case .database:
            #if PostgreSQL
            self.store = try process.recordingDatabaseStore()
            #else
            throw SimulationError.unavailable
            #endif
        }
    }

    /// Returns the sign-in with an issuer.
    func signIn(with issuer: SimulatedIssuer) -> SignIn {
        self.signIns.withLock { signIns in
            if let known = signIns[issuer] { return known }
            guard let provider = self.providers[issuer] else { preconditionFailure("Each issuer has a provider.") }
            let signIn = SignIn(
                provider,
                runtime: self.process.runtime,
                store: self.store,
                userAgent: SimulatedUserAgent(process: self.process)
            )
            signIns[issuer] = signIn
            return signIn
        }
    }

    /// Waits for the refreshes of all sessions.
    func settle() async {
        await self.signIn(with: .oauth).settle()
        await self.signIns.withLock { $0[.openID] }?.settle()
        await self.signIns.withLock { $0[.work] }?.settle()
    }

    /// Returns the session of an account, restoring it if necessary.
    ///
    /// - Parameters:
    ///   - subject: The subject of the account.
    ///   - releases: Whether to release the session and restore it, as a server does for each request.
    /// - Returns: The session.
    /// - Throws: `NoSessionError` if the store has none, or any error of the store.
    func session(of subject: String, releases: () -> Bool) async throws -> OAuthSession {
        let isReleased = releases()
        if let known = self.sessions.withLock({ $0[subject] }) {
            if !isReleased, known.ended == nil { return known }
            self.sessions.withLock { $0[subject] = nil }
            if !isReleased { self.ended.withLock { $0[subject] = known } }
            self.process.simulation.record(.released(subject: subject), by: .process(self.process.id))
        }
        let signIn = self.signIn(with: SimulatedIssuer(of: subject))
        guard let session = try await signIn.restore(Account(named: subject)) else { throw NoSessionError() }
        self.sessions.withLock { $0[subject] = session }
        return session
    }
}

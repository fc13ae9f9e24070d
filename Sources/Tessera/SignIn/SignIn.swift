// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Logging
internal import Synchronization
public import TesseraOAuth

/// Signs people in at one provider, and gives back the sessions of those who did before.
///
/// Make one per provider and keep it; it remembers the provider's metadata and keys, and gives the same
/// ``OAuthSession`` for the same account.
public final class SignIn: Sendable {
    private struct WeakSession {
        weak var session: OAuthSession?
    }

    /// The provider.
    public var provider: Provider { self.connection.provider }
    /// Where sessions are kept.
    public let store: any SessionStore
    let connection: ProviderConnection
    let userAgent: any UserAgent
    private let sessions = Mutex<[Account: WeakSession]>([:])

    /// A sign-in over the given doors.
    public convenience init(
        _ provider: Provider,
        transport: any HTTPTransport,
        store: any SessionStore,
        userAgent: any UserAgent,
        logger: Logger = Logger(label: "tessera")
    ) {
        self.init(
            provider,
            runtime: OAuthRuntime(transport: transport),
            store: store,
            userAgent: userAgent,
            logger: logger
        )
    }

    /// A sign-in in a world of the caller's: for tests, with a clock and randomness that repeat.
    public init(
        _ provider: Provider,
        runtime: OAuthRuntime,
        store: any SessionStore,
        userAgent: any UserAgent,
        logger: Logger = Logger(label: "tessera")
    ) {
        self.connection = ProviderConnection(provider, runtime: runtime, logger: logger)
        self.store = store
        self.userAgent = userAgent
    }

    /// The accounts of this provider and client that have a session here.
    ///
    /// - Throws: ``StoreError``.
    public func accounts() async throws -> [Account] {
        try await self.store.list().filter(self.isOurs)
    }

    private func isOurs(_ account: Account) -> Bool {
        account.issuer == self.provider.issuer.url && account.clientID == self.provider.client.clientID
    }

    /// The session of an account from the store, without any network; nil where there is none or it has ended.
    ///
    /// Without an account: the one that consented last. An account of another provider or client is not this one's to
    /// restore: nil.
    ///
    /// - Throws: ``StoreError`` for a record that cannot be read, where no other can.
    public func restore(_ account: Account? = nil) async throws -> OAuthSession? {
        let candidates = if let account { [account].filter(self.isOurs) } else { try await self.accounts() }
        var newest: SessionRecord?
        var unreadable: StoreError?
        for account in candidates {
            do {
                guard let record = try await self.store.load(account), record.tokens != nil else { continue }
                if let newest, newest.history.consentedAt >= record.history.consentedAt { continue }
                newest = record
            } catch let error as StoreError {
                unreadable = error
            }
        }
        guard let newest else {
            if let unreadable { throw unreadable }
            return nil
        }
        self.connection.remember(newest.provider.metadata)
        return self.session(newest)
    }

    /// The session object of an account, where somebody has one.
    func session(of account: Account) -> OAuthSession? { self.sessions.withLock { $0[account]?.session } }

    /// The one session object of a record's account: the one that is in use, or a new one.
    package func session(_ record: SessionRecord, isNewConsent: Bool = false) -> OAuthSession {
        let (session, isKnown) = self.sessions.withLock { sessions -> (OAuthSession, Bool) in
            if let known = sessions[record.account]?.session, known.ended == nil || isNewConsent {
                return (known, true)
            }
            let session = OAuthSession(record, connection: self.connection, store: self.store)
            sessions[record.account] = WeakSession(session: session)
            return (session, false)
        }
        if isKnown, isNewConsent { session.replace(record) }
        return session
    }
}

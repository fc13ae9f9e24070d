// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Logging
public import TesseraOAuth
internal import TesseraSupport

/// Signs people in at one provider, and gives back the sessions of those who did before.
///
/// Make one per provider and keep it; it remembers the provider's metadata and keys, and gives the same
/// ``OAuthSession`` for the same account.
public final class SignIn: Sendable {
    private struct WeakSession {
        weak var session: OAuthSession?
    }

    private struct Sessions {
        var byAccount: [Account: WeakSession] = [:]
        /// With so many, those that nobody has any more are let go of.
        var limit = 64

        mutating func keep(_ session: OAuthSession) {
            if self.byAccount.count >= self.limit {
                self.byAccount = self.byAccount.filter { $0.value.session != nil }
                self.limit = max(64, self.byAccount.count * 2)
            }
            self.byAccount[session.account] = WeakSession(session: session)
        }
    }

    /// The provider.
    public var provider: Provider { self.connection.provider }
    /// Where sessions are kept.
    public let store: any SessionStore
    let connection: ProviderConnection
    let userAgent: any UserAgent
    private let sessions = Mutex(Sessions())

    /// Creates a sign-in.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - transport: The network.
    ///   - store: Where sessions are stored.
    ///   - userAgent: Shows the provider's pages. Nil is for a server, whose users come by ``WebSignIn``, by a code of an app
    ///     (``redeem(_:of:scopes:options:)``), or on another device. ``signIn(scopes:options:)`` and
    ///     ``addScopes(_:to:options:)`` throw ``SignInError`` `noBrowser` then.
    ///   - logger: Gets one line for each exchange, without secrets.
    public convenience init(
        _ provider: Provider,
        transport: any HTTPTransport,
        store: any SessionStore,
        userAgent: (any UserAgent)? = nil,
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

    /// Creates a sign-in with a custom runtime: for tests, with a clock and randomness that repeat.
    public init(
        _ provider: Provider,
        runtime: OAuthRuntime,
        store: any SessionStore,
        userAgent: (any UserAgent)? = nil,
        logger: Logger = Logger(label: "tessera")
    ) {
        self.connection = ProviderConnection(provider, runtime: runtime, logger: logger)
        self.store = store
        self.userAgent = userAgent ?? AbsentUserAgent()
    }

    /// The session objects that somebody has, or that are refreshing.
    var livingSessions: [OAuthSession] { self.sessions.withLock { $0.byAccount.values.compactMap(\.session) } }

    /// The session object of an account, where somebody has one.
    func session(of account: Account) -> OAuthSession? { self.sessions.withLock { $0.byAccount[account]?.session } }

    /// Returns the session of a stored record, without reading the store or using the network.
    ///
    /// There is one session for each account: the one in use, or a new one.
    public func session(for record: SessionRecord) -> OAuthSession { self.session(record) }

    /// The one session object of a record's account: the one that is in use, or a new one.
    package func session(_ record: SessionRecord, isNewConsent: Bool = false) -> OAuthSession {
        if isNewConsent { self.connection.keepRecord(of: record.account) }
        let (session, isKnown) = self.sessions.withLock { sessions -> (OAuthSession, Bool) in
            if let known = sessions.byAccount[record.account]?.session, known.ended == nil || isNewConsent {
                return (known, true)
            }
            let session = OAuthSession(record, connection: self.connection, store: self.store)
            sessions.keep(session)
            return (session, false)
        }
        if isKnown, isNewConsent { session.replace(record) }
        return session
    }
}

/// The user agent of a server.
private struct AbsentUserAgent: UserAgent {
    func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        throw SignInError(.noBrowser, detail: "this SignIn was created without a user agent")
    }
}

extension SignIn {
    /// Waits for every refresh that is under way in a session of this sign-in: before a server exits, so that nothing is
    /// lost.
    ///
    /// End what may ask for tokens first.
    public func settle() async {
        await withTaskGroup(of: Void.self) { group in
            for session in self.livingSessions { group.addTask { await session.settle() } }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Logging
public import TesseraOAuth
internal import TesseraSupport

/// Signs users in with one provider and restores their stored sessions.
///
/// Create one instance per provider and reuse it. It caches the provider's metadata and keys, and returns the same
/// ``OAuthSession`` for the same account.
public final class SignIn: Sendable {
    private struct WeakSession {
        weak var session: OAuthSession?
    }

    private struct Sessions {
        var byAccount: [Account: WeakSession] = [:]
        /// The number of entries at which entries for released sessions are removed.
        var limit = 64

        mutating func save(_ session: OAuthSession) {
            if self.byAccount.count >= self.limit {
                self.byAccount = self.byAccount.filter { $0.value.session != nil }
                self.limit = max(64, self.byAccount.count * 2)
            }
            self.byAccount[session.account] = WeakSession(session: session)
        }
    }

    /// The provider that users sign in with.
    public var provider: Provider { self.connection.provider }
    /// The store that holds the sessions.
    public let store: any SessionStore
    let connection: ProviderConnection
    let userAgent: any UserAgent
    private let sessions = Mutex(Sessions())

    /// Creates a sign-in.
    ///
    /// - Parameters:
    ///   - provider: The provider to sign in with.
    ///   - transport: The HTTP transport for requests to the provider.
    ///   - store: The store for the sessions.
    ///   - userAgent: The browser that shows the provider's pages. Pass nil on a server, where users sign in with
    ///     ``WebSignIn``, with an app's code (``redeem(_:of:scopes:options:)``), or on another device. Without a user
    ///     agent, ``signIn(scopes:options:)`` and ``addScopes(_:to:options:)`` throw ``SignInError`` `noBrowser`.
    ///   - logger: The logger, which receives one debug message per exchange. Messages never contain secrets.
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

    /// Creates a sign-in with a custom runtime, such as one with a test clock and deterministic random bytes.
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

    /// The sessions that are in use or refreshing.
    var livingSessions: [OAuthSession] { self.sessions.withLock { $0.byAccount.values.compactMap(\.session) } }

    /// Returns an account's session if it is in use.
    func session(of account: Account) -> OAuthSession? { self.sessions.withLock { $0.byAccount[account]?.session } }

    /// Returns the session for a stored record without reading the store or using the network.
    ///
    /// There is one session per account. If the account's session is in use, it is returned. Otherwise a new one is
    /// created.
    public func session(for record: SessionRecord) -> OAuthSession { self.session(record) }

    /// Returns the session for a record's account, creating it if it is not in use.
    ///
    /// The record of a new consent replaces that of a session in use, even if the session has ended.
    package func session(_ record: SessionRecord, isNewConsent: Bool = false) -> OAuthSession {
        self.session(record, isNewConsent: isNewConsent, requestedAt: nil)
    }

    /// Returns the session for a record's account, whose access token was requested at a time, or is a stored one.
    func session(_ record: SessionRecord, isNewConsent: Bool, requestedAt time: RequestTime?) -> OAuthSession {
        if isNewConsent {
            self.connection.removals.overtake(record.account)
            self.connection.unsaved[record.account] = nil
        }
        let (session, isKnown) = self.sessions.withLock { sessions -> (OAuthSession, Bool) in
            if let known = sessions.byAccount[record.account]?.session, known.ended == nil || isNewConsent {
                return (known, true)
            }
            let session = OAuthSession(record, connection: self.connection, store: self.store, requestedAt: time)
            sessions.save(session)
            return (session, false)
        }
        if isKnown, isNewConsent { session.replace(record, requestedAt: time) }
        return session
    }
}

/// The user agent for a sign-in that was created without one.
private struct AbsentUserAgent: UserAgent {
    func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        throw SignInError(.noBrowser, detail: "this SignIn was created without a user agent")
    }
}

extension SignIn {
    /// Waits until all refreshes in progress have finished and their tokens are saved.
    ///
    /// Call this before a server exits, after it has stopped all work that requests tokens. It waits even if the current
    /// task is canceled.
    public func settle() async {
        let living = self.livingSessions
        let known = Set(living.map(\.account))
        let released = self.connection.unsaved.records.filter { !known.contains($0.account) }
            .map { OAuthSession($0, connection: self.connection, store: self.store) }
        // The order is that of the accounts, so that a simulation does not depend on the order of hash tables.
        let sessions = (living + released).sorted { AccountKey.precedes($0.account, $1.account) }
        await withTaskGroup(of: Void.self) { group in
            for session in sessions { group.addTask { await session.settle() } }
        }
    }
}

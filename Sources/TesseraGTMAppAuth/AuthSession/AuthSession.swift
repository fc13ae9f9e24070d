// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraSupport
public import Tessera

/// GTMAppAuth's former name for ``AuthSession``.
public typealias GTMAuthSession = AuthSession

/// Authorizes requests with the tokens of an `OIDAuthState`, refreshing them when necessary.
///
/// The token is sent only to ``authorizedOrigins``. All members are thread-safe. A session is also an
/// `AccessTokenSource`, so `AuthorizedFetcher` and the typed clients accept it in place of an `OAuthSession`.
///
/// - SeeAlso: [GTMAppAuth](https://github.com/google/GTMAppAuth)
public final class AuthSession: NSObject, NSSecureCoding, Sendable {
    struct State {
        var shouldAuthorizeAllRequests = false
        /// The origins set by the app, or nil to use the provider's.
        var authorizedOrigins: [OriginPattern]?
        weak var delegate: (any AuthSessionDelegate)?
        weak var fetcherService: (any GTMSessionFetcherServiceProtocol)?
        /// The pending authorizations, keyed by number.
        var pending: [Int: PendingRequest] = [:]
        var lastID = 0
    }

    let state = Mutex(State())
    /// The state that holds the tokens, for apps that add tokens to requests themselves.
    ///
    /// A token that is bound to a key (DPoP) cannot be used without a proof. If the session was created from an
    /// `OAuthSession` with such tokens, this state is not authorized and has no tokens, and its `authorizationError` is
    /// `OIDErrorCode.tokenRefreshError`.
    public let authState: OIDAuthState
    /// The state whose tokens authorize requests.
    let source: OIDAuthState
    /// The app's name for the provider.
    public let serviceProvider: String?
    let given: SuppliedIdentity

    /// Creates a session from a state.
    ///
    /// - Parameters:
    ///   - authState: The state that holds the tokens. The claims in its ID token take precedence over the user's
    ///     details below.
    ///   - serviceProvider: The app's name for the provider.
    ///   - userID: The user's subject identifier.
    ///   - userEmail: The user's email address.
    ///   - userEmailIsVerified: Whether the address is verified. `y`, `yes`, `t`, `true` and nonzero numbers mean true.
    public init(
        authState: OIDAuthState,
        serviceProvider: String? = nil,
        userID: String? = nil,
        userEmail: String? = nil,
        userEmailIsVerified: String? = nil
    ) {
        self.authState = authState
        self.source = authState
        self.serviceProvider = serviceProvider
        self.given = SuppliedIdentity(id: userID, email: userEmail, isVerified: userEmailIsVerified)
        super.init()
    }

    /// Creates a session that shares an `OAuthSession`'s tokens and refreshes.
    ///
    /// Tokens that are bound to a key (DPoP) can authorize requests, but ``authState`` does not contain them.
    public init(_ session: OAuthSession) {
        let source = SessionAuthState(session)
        self.source = source
        self.authState = source.textual
        self.serviceProvider = session.provider.name
        self.given = SuppliedIdentity(id: nil, email: nil, isVerified: nil)
        super.init()
    }

    /// Whether the class supports secure coding, which is always true.
    public static var supportsSecureCoding: Bool { true }

    /// Decodes an archive created by this class or by GTMAppAuth, or returns nil if a value is missing or has the wrong
    /// type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        self.serviceProvider = archive.value(Self.serviceProviderKey)
        self.given = SuppliedIdentity(
            id: archive.value(Self.userIDKey),
            email: archive.value(Self.userEmailKey),
            isVerified: archive.value(Self.userEmailIsVerifiedKey)
        )
        let origins: [String]? = archive.value(Self.authorizedOriginsKey)
        guard let authState: OIDAuthState = archive.value(Self.authStateKey), archive.isWhole else { return nil }
        self.authState = authState
        self.source = authState
        super.init()
        // An invalid origin can only come from a damaged archive.
        self.state.withLock { $0.authorizedOrigins = origins?.compactMap { try? OriginPattern($0) } }
    }

    /// Encodes the session, including secrets.
    ///
    /// Protect the archive as you would protect the tokens.
    ///
    /// If the app has set ``authorizedOrigins``, the archive contains them in addition to the values that GTMAppAuth
    /// archives.
    public func encode(with coder: NSCoder) {
        coder.encode(members: [
            Self.authStateKey: self.authState, Self.serviceProviderKey: self.serviceProvider,
            Self.userIDKey: self.userID, Self.userEmailKey: self.userEmail,
            Self.userEmailIsVerifiedKey: self.userEmailIsVerifiedText,
        ])
        if let origins = self.state.withLock({ $0.authorizedOrigins }) {
            coder.encode(members: [Self.authorizedOriginsKey: origins.map(\.description)])
        }
    }

    /// A description that shows whether a user is signed in, without any tokens or user details.
    override public var description: String {
        "AuthSession, " + (self.canAuthorize ? "authorized" : "not authorized")
    }
    override public var debugDescription: String { self.description }
}

extension AuthSession: CustomReflectable {
    /// A mirror without children, so that `dump` does not print the user's details.
    public var customMirror: Mirror {
        Mirror(self, children: [] as [Mirror.Child], ancestorRepresentation: .suppressed)
    }
}

extension AuthSession {
    /// The archive key for ``authState``.
    public static let authStateKey = "authState"
    /// The archive key for ``serviceProvider``.
    public static let serviceProviderKey = "serviceProvider"
    /// The archive key for ``userID``.
    public static let userIDKey = "userID"
    /// The archive key for ``userEmail``.
    public static let userEmailKey = "userEmail"
    /// The archive key for ``userEmailIsVerified``.
    public static let userEmailIsVerifiedKey = "userEmailIsVerified"
    /// The archive key for ``authorizedOrigins``, which GTMAppAuth ignores.
    public static let authorizedOriginsKey = "authorizedOrigins"
}

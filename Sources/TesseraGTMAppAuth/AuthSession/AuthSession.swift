// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraSupport
public import Tessera

/// The older name of ``AuthSession``.
public typealias GTMAuthSession = AuthSession

/// Authorizes requests with the tokens of an `OIDAuthState`, fresh ones every time.
///
/// The token goes to ``authorizedOrigins`` and nowhere else. Any thread may call anything. It is an `AccessTokenSource`
/// too: `AuthorizedFetcher` and the typed clients take it as they take an `OAuthSession`.
///
/// - SeeAlso: [GTMAppAuth](https://github.com/google/GTMAppAuth)
public final class AuthSession: NSObject, NSSecureCoding, Sendable {
    struct State {
        var shouldAuthorizeAllRequests = false
        /// Nil: those of the provider.
        var authorizedOrigins: [OriginPattern]?
        weak var delegate: (any AuthSessionDelegate)?
        weak var fetcherService: (any GTMSessionFetcherServiceProtocol)?
        /// The authorizations under way, by number.
        var pending: [Int: PendingRequest] = [:]
        var lastID = 0
    }

    let state = Mutex(State())
    /// The tokens as text, for programs that put them into requests themselves.
    ///
    /// The text of a token that is bound to a key (DPoP) is of no use without a proof. The state of an `OAuthSession` with
    /// such tokens is not authorized from the beginning, has none of them, and its `authorizationError` is
    /// `OIDErrorCode.tokenRefreshError`.
    public let authState: OIDAuthState
    /// The tokens that requests get.
    let source: OIDAuthState
    /// Who signed the user in, as the program calls it.
    public let serviceProvider: String?
    let given: GivenIdentity

    /// A session of a state.
    ///
    /// - Parameters:
    ///   - authState: the tokens; what its ID token says about the user goes before what follows.
    ///   - serviceProvider: who signed the user in.
    ///   - userID: the subject.
    ///   - userEmail: the email address.
    ///   - userEmailIsVerified: whether that address is verified: `y`, `yes`, `t`, `true` or a number but 0.
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
        self.given = GivenIdentity(id: userID, email: userEmail, isVerified: userEmailIsVerified)
        super.init()
    }

    /// Creates a session that shares the tokens and the refreshes of an `OAuthSession`.
    ///
    /// Tokens that are bound to a key (DPoP) work with requests that this authorizes, but ``authState`` does not have them.
    public init(_ session: OAuthSession) {
        let source = SessionAuthState(session)
        self.source = source
        self.authState = source.textual
        self.serviceProvider = session.provider.name
        self.given = GivenIdentity(id: nil, email: nil, isVerified: nil)
        super.init()
    }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this class or of GTMAppAuth's; nil where something is missing or of the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        self.serviceProvider = archive.value(Self.serviceProviderKey)
        self.given = GivenIdentity(
            id: archive.value(Self.userIDKey),
            email: archive.value(Self.userEmailKey),
            isVerified: archive.value(Self.userEmailIsVerifiedKey)
        )
        let origins: [String]? = archive.value(Self.authorizedOriginsKey)
        guard let authState: OIDAuthState = archive.value(Self.authStateKey), archive.isWhole else { return nil }
        self.authState = authState
        self.source = authState
        super.init()
        // What is no origin is none: it can only have been damaged.
        self.state.withLock { $0.authorizedOrigins = origins?.compactMap { try? OriginPattern($0) } }
    }

    /// Writes everything, also the secrets: an archive is to be kept as tokens are.
    ///
    /// Beside GTMAppAuth's keys there is one for ``authorizedOrigins``, where a program has set them.
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

    /// Whether a user is signed in; nothing of the tokens and of the user.
    override public var description: String {
        "AuthSession, " + (self.canAuthorize ? "authorized" : "not authorized")
    }
    override public var debugDescription: String { self.description }
}

extension AuthSession: CustomReflectable {
    /// A mirror without children: `dump` would show who the user is otherwise.
    public var customMirror: Mirror {
        Mirror(self, children: [] as [Mirror.Child], ancestorRepresentation: .suppressed)
    }
}

extension AuthSession {
    /// The archive's key of ``authState``.
    public static let authStateKey = "authState"
    /// The archive's key of ``serviceProvider``.
    public static let serviceProviderKey = "serviceProvider"
    /// The archive's key of ``userID``.
    public static let userIDKey = "userID"
    /// The archive's key of ``userEmail``.
    public static let userEmailKey = "userEmail"
    /// The archive's key of ``userEmailIsVerified``.
    public static let userEmailIsVerifiedKey = "userEmailIsVerified"
    /// The archive's key of ``authorizedOrigins``, which GTMAppAuth does not know and passes over.
    public static let authorizedOriginsKey = "authorizedOrigins"
}

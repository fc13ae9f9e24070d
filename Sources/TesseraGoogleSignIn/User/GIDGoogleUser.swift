// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
public import Tessera
public import TesseraGTMAppAuth
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A user who has signed in with Google.
///
/// The tokens and scopes are always current, even if they are refreshed elsewhere. Two reads return the same object as
/// long as its values are the same.
public final class GIDGoogleUser: NSObject, Sendable {
    /// The underlying session, for use with typed clients, fetchers and events.
    public let session: OAuthSession
    /// An `AuthSession` that authorizes requests to Google's APIs and shares the session's tokens and refreshes.
    ///
    /// `user.fetcherAuthorizer()` returns the same object.
    public let fetcherAuthorizer: any GTMFetcherAuthorizationProtocol
    /// The configuration with which the user signed in.
    ///
    /// Its `hostedDomain` is the Google Workspace domain of the account, which is nil if the account has none.
    public let configuration: GIDConfiguration
    let signIn: GIDSignIn
    private let claims: Set<GIDClaim>
    private let state: Mutex<State>

    private struct State {
        var profile: GIDProfileData?
        var accessToken: GIDToken?
        var refreshToken: GIDToken?
        var idToken: GIDToken?
        /// The ID token, if a refresh has not replaced it.
        var lasting: Secret?
    }

    /// Creates a user from a session and the parameters of the user's sign-in.
    init(_ session: OAuthSession, _ signIn: GIDSignIn, _ parameters: RepeatedParameters) {
        self.session = session
        self.fetcherAuthorizer = AuthSession(session)
        let clientID = session.account.clientID
        let app = signIn.configuration
        self.configuration = GIDConfiguration(
            clientID: clientID,
            serverClientID: parameters.serverClientID,
            hostedDomain: session.identity.hostedDomain,
            openIDRealm: parameters.openIDRealm,
            location: app?.clientID == clientID
                ? app?.location ?? .google(clientSecret: nil) : .google(clientSecret: nil)
        )
        self.signIn = signIn
        self.claims = parameters.claims
        self.state = Mutex(State(profile: Self.profile(session)))
    }

    /// Google's identifier for the user, which never changes.
    ///
    /// Use it as a key for the app's own data.
    public var userID: String? { self.session.account.subject }

    /// The user's profile for display, or nil if the user did not grant access to it.
    ///
    /// The profile is read at sign-in, when scopes are added, and when the user is restored. A refresh does not change
    /// it.
    public var profile: GIDProfileData? { self.state.withLock { $0.profile } }

    /// The scopes the user granted.
    public var grantedScopes: [String]? { self.session.grantedScopes.granted.map(\.rawValue) }

    /// The current access token, which may have expired.
    ///
    /// See ``refreshTokensIfNeeded(completion:)``.
    public var accessToken: GIDToken {
        self.current(\.accessToken) {
            let tokens = self.session.record.tokens
            return GIDToken(tokens?.accessToken, expirationDate: tokens?.expiresAt)
        }
    }

    /// The refresh token, which is empty if Google issued none.
    public var refreshToken: GIDToken {
        self.current(\.refreshToken) {
            let record = self.session.record
            return GIDToken(record.tokens?.refreshToken, expirationDate: record.history.refreshTokenExpiresAt)
        }
    }

    /// The current ID token, if any, which was verified when it was received.
    public var idToken: GIDToken? {
        guard let token = self.session.idToken else { return nil }
        return self.current(\.idToken) {
            let token = self.session.idToken ?? token
            let claims = try? IDTokenClaims(unverified: token)
            return GIDToken(token, expirationDate: claims.map { Date(timeIntervalSince1970: $0.expiresAt) })
        }
    }

    /// Returns a token, which is the same object as before if it has not changed.
    ///
    /// The token is read while the state is locked, so that an older token never replaces a newer one.
    private func current(_ path: WritableKeyPath<State, GIDToken?>, _ read: () -> GIDToken) -> GIDToken {
        self.state.withLock { state in
            let token = read()
            if let known = state[keyPath: path], known.isEqual(to: token) { return known }
            state[keyPath: path] = token
            return token
        }
    }

    private var idTokenClaims: IDTokenClaims? { self.session.idToken.flatMap { try? IDTokenClaims(unverified: $0) } }

    /// The parameters of the sign-in that requests for additional scopes repeat.
    var parameters: RepeatedParameters { RepeatedParameters(claims: self.claims, self.configuration) }

    func consent(adding scopes: [String]) -> GIDSignIn.Consent {
        GIDSignIn.Consent(hint: self.profile?.email, scopes: scopes, claims: self.claims)
    }

    /// Reads the profile, and requests the claims that are missing from the ID token.
    ///
    /// If the request fails, these claims stay unchanged.
    func readProfile() async {
        let claims = self.idTokenClaims?.document
        let names = ["name", "given_name", "family_name", "picture"]
        let isIncomplete = names.contains { claims?[$0] == nil } && self.session.grantedScopes.contains(.profile)
        let info = isIncomplete ? try? await self.session.userInfo() : nil
        self.state.withLock { state in
            let profile = Self.profile(self.session, info, over: state.profile)
            if let profile, state.profile?.hasSameValues(as: profile) != true { state.profile = profile }
        }
    }

    /// Returns the profile from the newest ID token, a userinfo response, the sign-in and the previous profile, in this
    /// order.
    private static func profile(
        _ session: OAuthSession,
        _ info: JSONValue? = nil,
        over previous: GIDProfileData? = nil
    ) -> GIDProfileData? {
        let identity = session.identity
        let claims = session.idToken.flatMap { try? IDTokenClaims(unverified: $0) }?.document
        func text(_ name: String) -> String? { claims?[name]?.string ?? info?[name]?.string }
        let (email, name) = (text("email") ?? identity.email, text("name") ?? identity.name ?? previous?.name)
        guard email != nil || name != nil else { return nil }
        return GIDProfileData(
            email: email,
            name: name,
            givenName: text("given_name") ?? previous?.givenName,
            familyName: text("family_name") ?? previous?.familyName,
            picture: text("picture") ?? identity.picture ?? previous?.picture
        )
    }

    /// Refreshes the tokens if one of them expires within a minute.
    func freshen() async throws -> GIDGoogleUser {
        let session = self.session
        let now = session.runtime.now()
        let soon = now.addingTimeInterval(60)
        let isIDTokenDue =
            self.idTokenClaims.map { $0.expiresAt < soon.timeIntervalSince1970 } == true
            && self.state.withLock { $0.lasting } != session.idToken
        let isDue = isIDTokenDue || (session.expiresAt.map { $0 < soon } ?? true)
        if isDue, let end = session.record.history.refreshTokenExpiresAt, end <= now {
            throw GIDSignInError(.refreshTokenExpired)
        }
        try await session.refreshAccessToken(expiringWithin: 60)
        if isIDTokenDue, let before = session.idToken, self.isDue(before, soon) {
            try await session.refresh()
            // Some refresh responses contain no ID token. Another refresh would not return one either.
            if session.idToken == before { self.state.withLock { $0.lasting = before } }
        }
        return self
    }

    private func isDue(_ idToken: Secret, _ soon: Date) -> Bool {
        (try? IDTokenClaims(unverified: idToken)).map { $0.expiresAt < soon.timeIntervalSince1970 } ?? true
    }
}

extension OAuthSession {
    /// Refreshes the access token if it expires within a number of seconds.
    ///
    /// The session treats a token as expired some time before it expires. This time is not added.
    func refreshAccessToken(expiringWithin seconds: Double) async throws {
        let lifetime = Double(self.record.tokens?.lifetime ?? 3_600)
        let margin = TokenMargin.expiration.seconds(ofLifetime: lifetime)
        _ = try await self.accessToken(validFor: .seconds(max(0, seconds - margin)))
    }
}

extension GIDGoogleUser {
    /// Refreshes the tokens if the access token or the ID token expires within 60 seconds.
    ///
    /// Concurrent callers share one refresh. New tokens are saved before they are returned.
    ///
    /// - Parameter completion: Receives this user or a ``GIDSignInError``. After `refreshTokenExpired` or
    ///   `sessionEnded`, the user has to sign in again. After any other error, the user is still signed in.
    public func refreshTokensIfNeeded(completion: @escaping (GIDGoogleUser?, (any Error)?) -> Void) {
        self.signIn.report(to: completion) { try await self.freshen() }
    }

    /// Refreshes the tokens if the access token or the ID token expires within 60 seconds.
    ///
    /// - Throws: ``GIDSignInError`` if the tokens could not be refreshed.
    @discardableResult
    public func refreshTokensIfNeeded() async throws -> GIDGoogleUser {
        try await self.signIn.mapping { try await self.freshen() }
    }
}

extension GIDGoogleUser: NSSecureCoding {
    /// Whether the class supports secure coding, which is always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes which account the user has.
    ///
    /// The archive contains no tokens. They remain in the store.
    public func encode(with coder: NSCoder) {
        coder.encode(self.session.account.id as NSString, forKey: "account")
    }

    /// Restores an archived user from the store of ``GIDSignIn/sharedInstance``, without using the network.
    ///
    /// This initializer blocks its thread while it reads the store. It returns nil if the archive was written by
    /// Google's library, or if the store cannot be read or has no session for the account. Call it under the conditions
    /// of ``GIDSignIn/hasPreviousSignIn()``.
    public convenience init?(coder: NSCoder) {
        guard let id = coder.value(String.self, forKey: "account"),
            let session = BlockingWork.result({ try await GIDSignIn.sharedInstance.session(of: id) }) ?? nil
        else {
            return nil
        }
        self.init(session, .sharedInstance, RepeatedParameters(session))
    }
}

extension GTMSessionFetcherAuthorizer {
    /// Returns the authorizer.
    ///
    /// Google's guide uses `user.fetcherAuthorizer()`, but its headers declare `user.fetcherAuthorizer`. This method is
    /// in the same module as `GIDGoogleUser`, so that the guide's code needs no other import.
    public func callAsFunction() -> Self { self }
}

/// A token and its expiration date.
public final class GIDToken: NSObject, NSSecureCoding, CustomReflectable, Sendable {
    /// The token, which is empty if Google issued none.
    ///
    /// The token is a secret. It does not appear in descriptions.
    public let tokenString: String
    /// The expiration date, or nil if Google did not specify one.
    public let expirationDate: Date?

    init(tokenString: String, expirationDate: Date?) {
        self.tokenString = tokenString
        self.expirationDate = expirationDate
    }

    /// Creates a token, which is empty if `token` is nil.
    convenience init(_ token: Secret?, expirationDate: Date?) {
        self.init(tokenString: token?.withUnredacted { $0 } ?? "", expirationDate: expirationDate)
    }

    /// Returns whether the tokens and their expiration dates are equal.
    public func isEqual(to otherToken: GIDToken) -> Bool {
        self.tokenString == otherToken.tokenString && self.expirationDate == otherToken.expirationDate
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? GIDToken).map { self.isEqual(to: $0) } ?? false
    }

    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(self.tokenString)
        hasher.combine(self.expirationDate)
        return hasher.finalize()
    }

    /// Whether the class supports secure coding, which is always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the token in plaintext, as Google's library does.
    ///
    /// Protect the archive as you would protect the token.
    public func encode(with coder: NSCoder) {
        coder.encode(self.tokenString as NSString, forKey: "tokenString")
        coder.encode(self.expirationDate as NSDate?, forKey: "expirationDate")
    }

    /// Decodes a token encoded by this class or by Google's library, or returns nil if it is missing.
    ///
    /// An unarchiver finds this class under its name in Google's library once the app has created or used a
    /// ``GIDSignIn``.
    public init?(coder: NSCoder) {
        guard let tokenString = coder.value(String.self, forKey: "tokenString") else { return nil }
        self.tokenString = tokenString
        self.expirationDate = coder.value(Date.self, forKey: "expirationDate")
    }

    /// A description that contains the expiration date but not the token.
    public override var description: String {
        "token" + (self.expirationDate.map { " until \($0)" } ?? "")
    }
    public override var debugDescription: String { self.description }
    /// A mirror without children, so that `dump` does not print the token.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

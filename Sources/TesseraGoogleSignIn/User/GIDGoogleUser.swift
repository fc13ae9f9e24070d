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
/// The tokens, scopes and identity are always current, even if they are refreshed elsewhere.
public final class GIDGoogleUser: NSObject, Sendable {
    /// The underlying session, for use with typed clients, fetchers and events.
    public let session: OAuthSession
    /// An `AuthSession` that authorizes requests to Google's APIs and shares the session's tokens and refreshes.
    ///
    /// `user.fetcherAuthorizer()` returns the same object.
    public let fetcherAuthorizer: any GTMFetcherAuthorizationProtocol
    let signIn: GIDSignIn
    private let claims: Set<GIDClaim>
    private let state = Mutex(State())

    private struct State {
        var userInfo: JSONValue?
        /// The ID token, if a refresh has not replaced it.
        var lasting: Secret?
    }

    init(_ session: OAuthSession, _ signIn: GIDSignIn, claims: Set<GIDClaim>) {
        self.session = session
        self.fetcherAuthorizer = AuthSession(session)
        self.signIn = signIn
        self.claims = claims
    }

    /// Google's identifier for the user, which never changes.
    ///
    /// Use it as a key for the app's own data.
    public var userID: String? { self.session.account.subject }

    /// The user's profile for display, or nil if the user did not grant access to it.
    public var profile: GIDProfileData? {
        let identity = self.session.identity
        let (claims, info) = (self.idTokenClaims?.document, self.state.withLock { $0.userInfo })
        func text(_ name: String) -> String? { claims?[name]?.string ?? info?[name]?.string }
        let (email, name) = (identity.email ?? text("email"), identity.name ?? text("name"))
        guard email != nil || name != nil else { return nil }
        return GIDProfileData(
            email: email,
            name: name,
            givenName: text("given_name"),
            familyName: text("family_name"),
            picture: identity.picture ?? text("picture")
        )
    }

    /// The scopes the user granted.
    public var grantedScopes: [String]? { self.session.grantedScopes.granted.map(\.rawValue) }

    /// The configuration of the client with which the user signed in.
    public var configuration: GIDConfiguration {
        if let configuration = self.signIn.configuration, configuration.clientID == self.session.account.clientID {
            return configuration
        }
        return GIDConfiguration(clientID: self.session.account.clientID)
    }

    /// The current access token, which may have expired.
    ///
    /// See ``refreshTokensIfNeeded(completion:)``.
    public var accessToken: GIDToken {
        let tokens = self.session.record.tokens
        return GIDToken(tokenString: tokens?.accessToken.withUnredacted { $0 } ?? "", expirationDate: tokens?.expiresAt)
    }

    /// The refresh token, which is empty if Google issued none.
    public var refreshToken: GIDToken {
        let record = self.session.record
        return GIDToken(
            tokenString: record.tokens?.refreshToken?.withUnredacted { $0 } ?? "",
            expirationDate: record.history.refreshTokenExpiresAt
        )
    }

    /// The current ID token, if any, which was verified when it was received.
    public var idToken: GIDToken? {
        self.session.idToken.map { token in
            GIDToken(
                tokenString: token.withUnredacted { $0 },
                expirationDate: self.idTokenClaims.map { Date(timeIntervalSince1970: $0.expiresAt) }
            )
        }
    }

    private var idTokenClaims: IDTokenClaims? { self.session.idToken.flatMap { try? IDTokenClaims(unverified: $0) } }

    func consent(adding scopes: [String]) -> GIDSignIn.Consent {
        GIDSignIn.Consent(hint: self.profile?.email, scopes: scopes, claims: self.claims)
    }

    /// Requests the profile claims that are missing from the ID token.
    ///
    /// If the request fails, the profile stays unchanged.
    func completeProfile() async {
        guard let claims = self.idTokenClaims?.document, self.session.grantedScopes.contains(.profile) else { return }
        let names = ["name", "given_name", "picture"]
        guard names.contains(where: { claims[$0] == nil }) else { return }
        guard let info = try? await self.session.userInfo() else { return }
        self.state.withLock { $0.userInfo = info }
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
        _ = try await session.accessToken(validFor: .seconds(60))
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

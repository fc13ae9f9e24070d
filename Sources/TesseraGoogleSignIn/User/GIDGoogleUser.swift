// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
public import Tessera
public import TesseraGTMAppAuth
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// Somebody who has signed in with Google.
///
/// Its tokens, scopes and identity are always those of now: whoever refreshes them, and wherever.
public final class GIDGoogleUser: NSObject, Sendable {
    /// The session below: what typed clients, fetchers and events need.
    public let session: OAuthSession
    /// Adds fresh tokens to requests to Google's APIs; an `AuthSession`, which shares the session's refreshes.
    ///
    /// `user.fetcherAuthorizer()` is the same.
    public let fetcherAuthorizer: any GTMFetcherAuthorizationProtocol
    let signIn: GIDSignIn
    private let claims: Set<GIDClaim>
    private let state = Mutex(State())

    private struct State {
        var userInfo: JSONValue?
        /// The ID token that a refresh did not replace.
        var lasting: Secret?
    }

    init(_ session: OAuthSession, _ signIn: GIDSignIn, claims: Set<GIDClaim>) {
        self.session = session
        self.fetcherAuthorizer = AuthSession(session)
        self.signIn = signIn
        self.claims = claims
    }

    /// Google's identifier of the person, which never changes; the key for a program's own data.
    public var userID: String? { self.session.account.subject }

    /// What Google says about the person, for display; nil where nothing was granted.
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

    /// The scopes that were really granted.
    public var grantedScopes: [String]? { self.session.grantedScopes.map(\.rawValue) }

    /// Which client the person signed in to.
    public var configuration: GIDConfiguration {
        if let configuration = self.signIn.configuration, configuration.clientID == self.session.account.clientID {
            return configuration
        }
        return GIDConfiguration(clientID: self.session.account.clientID)
    }

    /// The access token as it is now, which may have expired: see ``refreshTokensIfNeeded(completion:)``.
    public var accessToken: GIDToken {
        let tokens = self.session.record.tokens
        return GIDToken(tokenString: tokens?.accessToken.withUnredacted { $0 } ?? "", expirationDate: tokens?.expiresAt)
    }

    /// The refresh token, empty where Google gave none.
    public var refreshToken: GIDToken {
        let record = self.session.record
        return GIDToken(
            tokenString: record.tokens?.refreshToken?.withUnredacted { $0 } ?? "",
            expirationDate: record.history.refreshTokenExpiresAt
        )
    }

    /// The newest ID token, whose signature and claims were checked when it came; nil where there is none.
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

    /// Asks Google for what the ID token leaves out; without an answer the profile has what it has.
    func completeProfile() async {
        guard let claims = self.idTokenClaims?.document, self.session.grant.contains(.profile) else { return }
        let names = ["name", "given_name", "picture"]
        guard names.contains(where: { claims[$0] == nil }) else { return }
        guard let info = try? await self.session.userInfo() else { return }
        self.state.withLock { $0.userInfo = info }
    }

    /// Refreshes what ends within a minute.
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
            // Some answers have no ID token: asking again would bring none either.
            if session.idToken == before { self.state.withLock { $0.lasting = before } }
        }
        return self
    }

    private func isDue(_ idToken: Secret, _ soon: Date) -> Bool {
        (try? IDTokenClaims(unverified: idToken)).map { $0.expiresAt < soon.timeIntervalSince1970 } ?? true
    }
}

extension GIDGoogleUser {
    /// Refreshes the tokens when the access token or the ID token ends within 60 seconds; else does nothing.
    ///
    /// However many callers wait, Google is asked once; new tokens are saved before anybody gets them.
    ///
    /// - Parameter completion: gets this user, or a ``GIDSignInError``: `refreshTokenExpired` and `sessionEnded` where the
    ///   person has to sign in again; after any other the user is still signed in.
    public func refreshTokensIfNeeded(completion: @escaping (GIDGoogleUser?, (any Error)?) -> Void) {
        self.signIn.report(to: completion) { try await self.freshen() }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: ``GIDSignInError``.
    @discardableResult
    public func refreshTokensIfNeeded() async throws -> GIDGoogleUser {
        try await self.signIn.mapping { try await self.freshen() }
    }
}

/// A token and when it ends.
public final class GIDToken: NSObject, NSSecureCoding, CustomReflectable, Sendable {
    /// The token itself, empty where Google gave none.
    ///
    /// It is a secret: descriptions do not show it.
    public let tokenString: String
    /// When it ends, nil where Google does not say.
    public let expirationDate: Date?

    init(tokenString: String, expirationDate: Date?) {
        self.tokenString = tokenString
        self.expirationDate = expirationDate
    }

    /// Whether text and end are the same.
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

    /// Only secure coding is supported.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the token in the clear, as Google's library does: an archive is as secret as what is in it.
    public func encode(with coder: NSCoder) {
        coder.encode(self.tokenString as NSString, forKey: "tokenString")
        coder.encode(self.expirationDate as NSDate?, forKey: "expirationDate")
    }

    /// Reads what `encode(with:)` or Google's library wrote; nil without a token.
    public init?(coder: NSCoder) {
        guard let tokenString = coder.value(String.self, forKey: "tokenString") else { return nil }
        self.tokenString = tokenString
        self.expirationDate = coder.value(Date.self, forKey: "expirationDate")
    }

    /// When it ends; never the token.
    public override var description: String {
        "token" + (self.expirationDate.map { " until \($0)" } ?? "")
    }
    public override var debugDescription: String { self.description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
public import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
public import TesseraOAuth
internal import TesseraSupport

extension GIDSignIn {
    /// What one consent asks for, whoever shows it.
    struct Consent: Sendable {
        var hint: String?
        var scopes: [String] = []
        var nonce: String?
        var claims: Set<GIDClaim> = []
    }

    /// What every sign-in asks for beside the program's own scopes.
    static let basicScopes: [Scope] = [.openID, .email, .profile]

    /// Signs somebody in, who is the current user then.
    func begin(_ consent: Consent, _ userAgent: any UserAgent) async throws -> GIDSignInResult {
        let epoch = self.state.withLock { $0.epoch }
        let options = try await self.options(consent)
        let signIn = try await self.signIn()
        let aliases = signIn.provider.scopeAliases
        let scopes = aliases.union(Self.basicScopes, consent.scopes.map { Scope($0) })
        let answer = try await signIn.answer(scopes: scopes, options: options, userAgent: userAgent)
        let user = try await self.adopt(answer.session, of: signIn, since: epoch, claims: consent.claims)
        return GIDSignInResult(user: user, serverAuthCode: answer.serverAuthCode)
    }

    /// Makes the person of a new session the current user, unless somebody signed out since the sign-in began.
    func adopt(
        _ session: OAuthSession,
        of signIn: SignIn,
        since epoch: Int,
        claims: Set<GIDClaim>
    ) async throws -> GIDGoogleUser {
        let user = GIDGoogleUser(session, self, claims: claims)
        try await self.makeCurrent(user, of: signIn, since: epoch)
        await user.completeProfile()
        return user
    }

    /// Makes a user the current one, and removes the others where only one is kept: one sign-in at a time, so that two do not
    /// remove each other.
    private func makeCurrent(_ user: GIDGoogleUser, of signIn: SignIn, since epoch: Int) async throws {
        let hasTurn = (try? await self.adoption.take(.probe)) != nil
        defer { if hasTurn { self.adoption.pass(.probe) } }
        let session = user.session
        let isWanted = self.state.withLock { state in
            // A sign-in that ended meanwhile may have removed this one.
            guard state.epoch == epoch, session.ended == nil else { return false }
            state.user = user
            return true
        }
        guard isWanted else {
            // Somebody signed out while the page was open: nobody comes back by it.
            try? await session.signOut()
            throw CancellationError()
        }
        if !self.keepsSeveralAccounts {
            try? await self.forgetAncestor()
            await self.forgetOthers(than: session.account, signIn)
        }
    }

    /// Asks a user for more scopes.
    func begin(_ consent: Consent, adding user: GIDGoogleUser, _ userAgent: any UserAgent) async throws
        -> GIDSignInResult
    {
        let isOurs = self.state.withLock { $0.user?.session === user.session } || self.keepsSeveralAccounts
        guard isOurs else { throw GIDSignInError(.mismatchWithCurrentUser) }
        let options = try await self.options(consent)
        let answer = try await self.signIn()
            .answer(
                adding: consent.scopes.map { Scope($0) },
                to: user.session,
                options: options,
                userAgent: userAgent
            )
        return GIDSignInResult(user: user, serverAuthCode: answer.serverAuthCode)
    }

    func options(_ consent: Consent) async throws -> SignInOptions {
        let configuration = try self.demandedConfiguration()
        var options = SignInOptions(loginHint: consent.hint)
        options.claims = try ClaimsRequest(consent.claims)
        options.nonce = consent.nonce.map { Secret($0) }
        options.additionalParameters["include_granted_scopes"] = "true"
        options.serverClientID = configuration.serverClientID
        options.requiredClaims = configuration.requiredClaims
        options.additionalParameters["hd"] = configuration.hostedDomain
        if let openIDRealm = configuration.openIDRealm {
            options.additionalTokenParameters["openid.realm"] = openIDRealm
        }
        if let appCheck = self.state.withLock({ $0.appCheck }), let token = try? await appCheck.limitedUseToken() {
            options.additionalParameters["client_assertion_type"] =
                "urn:ietf:params:oauth:client-assertion-type:appcheck"
            options.additionalParameters["client_assertion"] = token
        }
        return options
    }

    /// Removes the sessions of everybody else here; Google is not told.
    private func forgetOthers(than account: Account, _ signIn: SignIn) async {
        for other in (try? await signIn.accounts()) ?? [] where other != account {
            if let session = try? await signIn.restore(other) { try? await session.signOut() }
        }
    }
}

extension GIDSignIn {
    /// Does `work` in a task of its own, and calls the handler on the callback queue.
    func report<Value: Sendable>(
        to completion: ((Value?, (any Error)?) -> Void)?,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        Callback(on: self.callbackQueue, completion: completion).report { try await self.mapping(work) }
    }

    /// The same for what brings nothing.
    func report(to completion: (((any Error)?) -> Void)?, _ work: @escaping @Sendable () async throws -> Void) {
        let handler: (Bool?, (any Error)?) -> Void = { _, error in completion?(error) }
        self.report(to: handler) {
            try await work()
            return true
        }
    }

    /// Does `work`; what it throws is a ``GIDSignInError`` then.
    func mapping<Value: Sendable>(_ work: () async throws -> Value) async throws(GIDSignInError) -> Value {
        do {
            return try await work()
        } catch {
            throw GIDSignInError(mapping: error)
        }
    }
}

extension GIDSignIn {
    /// Signs somebody in who has a browser on another device: on a television, a watch, a machine without a display.
    ///
    /// Google wants a client of the type *TVs and Limited Input devices* for it, and grants few scopes this way. To give
    /// up, cancel the task.
    ///
    /// - Parameters:
    ///   - additionalScopes: scopes beside `openid`, `email` and `profile`.
    ///   - present: shows the person the address and the code, and returns when they are shown; called once.
    /// - Returns: the result; it has no code for a server.
    /// - Throws: ``GIDSignInError``: `accessDenied` for a no, `unknown` with an `OAuthError` `expired_token` when nobody
    ///   decided in time.
    /// - SeeAlso: [OAuth 2.0 for TV and limited-input devices](https://developers.google.com/identity/protocols/oauth2/limited-input-device)
    @discardableResult
    public func signInOnDevice(
        additionalScopes: [String]? = nil,
        present: @escaping @Sendable (DeviceAuthorization) async throws -> Void
    ) async throws -> GIDSignInResult {
        try await self.mapping {
            let epoch = self.state.withLock { $0.epoch }
            let signIn = try await self.signIn()
            let scopes = (additionalScopes ?? []).map { Scope($0) }
            let asked = signIn.provider.scopeAliases.union(Self.basicScopes, scopes)
            var options = SignInOptions()
            options.requiredClaims = try self.demandedConfiguration().requiredClaims
            let session = try await signIn.signInOnDevice(scopes: asked, options: options, present: present)
            let user = try await self.adopt(session, of: signIn, since: epoch, claims: [])
            return GIDSignInResult(user: user, serverAuthCode: nil)
        }
    }
}

/// What a sign-in brought.
public final class GIDSignInResult: NSObject, CustomReflectable, Sendable {
    /// The person.
    public let user: GIDGoogleUser
    /// A code that the program's server exchanges for tokens of its own; nil unless the configuration names a server's
    /// client, and then only when Google gives one.
    ///
    /// It is a secret, and good once.
    public let serverAuthCode: String?

    init(user: GIDGoogleUser, serverAuthCode: Secret?) {
        self.user = user
        self.serverAuthCode = serverAuthCode?.withUnredacted { $0 }
    }

    /// Nobody and nothing secret.
    public override var description: String { "result of a sign-in" }
    public override var debugDescription: String { self.description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

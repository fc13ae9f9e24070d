// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
public import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
public import TesseraOAuth
internal import TesseraSupport

extension GIDSignIn {
    /// The parameters of a sign-in, regardless of how it is presented.
    struct Consent: Sendable {
        var hint: String?
        var scopes: [String] = []
        var nonce: String?
        var claims: Set<GIDClaim> = []

        /// Returns a user agent that shows the page for this consent.
        func shown(by userAgent: any UserAgent) -> any UserAgent {
            self.claims.allSatisfy(\.isEssential) ? userAgent : VoluntaryClaimsUserAgent(userAgent)
        }
    }

    /// The scopes that every sign-in requests in addition to those that the app specifies.
    static let basicScopes: [Scope] = [.openID, .email, .profile]

    /// Signs in a user, who becomes the current user.
    func begin(_ consent: Consent, _ userAgent: any UserAgent) async throws -> GIDSignInResult {
        let epoch = self.state.withLock { $0.epoch }
        let configuration = try self.requiredConfiguration()
        let options = try await self.options(consent, configuration)
        let signIn = try await self.signIn()
        let response = try await signIn.response(
            scopes: self.scopes(consent.scopes, signIn),
            options: options,
            userAgent: consent.shown(by: userAgent)
        )
        let parameters = RepeatedParameters(claims: consent.claims, configuration)
        let user = try await self.adopt(response.session, of: signIn, since: epoch, parameters)
        return GIDSignInResult(user: user, serverAuthCode: response.serverAuthCode)
    }

    /// Returns the scopes to request: those of the app, and then the basic ones that it does not specify.
    private func scopes(_ additional: [String], _ signIn: SignIn) -> [Scope] {
        signIn.provider.scopeAliases.union(additional.map { Scope($0) }, Self.basicScopes)
    }

    /// Makes the user of a new session the current user, unless the user has signed out since the sign-in began.
    func adopt(
        _ session: OAuthSession,
        of signIn: SignIn,
        since epoch: Int,
        _ parameters: RepeatedParameters
    ) async throws -> GIDGoogleUser {
        let user = GIDGoogleUser(session, self, parameters)
        try await self.makeCurrent(user, of: signIn, since: epoch)
        await parameters.save(with: session, in: signIn.store)
        await user.readProfile()
        return user
    }

    /// Makes a user the current user, and removes the other accounts if only one is retained.
    ///
    /// Only one sign-in runs this method at a time, so that two sign-ins do not remove each other.
    private func makeCurrent(_ user: GIDGoogleUser, of signIn: SignIn, since epoch: Int) async throws {
        let hasTurn = (try? await self.adoption.take(.probe)) != nil
        defer { if hasTurn { self.adoption.pass(.probe) } }
        let session = user.session
        let (isWanted, isInUse) = self.state.withLock { state in
            let isInUse = state.user?.session === session
            // A concurrent sign-in may have removed this session.
            guard state.epoch == epoch, session.ended == nil else { return (false, isInUse) }
            state.user = user
            return (true, true)
        }
        guard isWanted else {
            // The user signed out while the page was open, so discard the new session, unless the same user has signed
            // in again since then.
            if !isInUse { try? await session.signOut() }
            throw CancellationError()
        }
        if !self.storesMultipleAccounts {
            try? await self.removeGoogleSignInStore()
            await self.forgetOthers(than: session.account, signIn)
        }
    }

    /// Requests additional scopes from a user, with the configuration of the user's sign-in.
    func begin(_ consent: Consent, adding user: GIDGoogleUser, _ userAgent: any UserAgent) async throws
        -> GIDSignInResult
    {
        let isOurs = self.state.withLock { $0.user === user } || self.storesMultipleAccounts
        guard isOurs else { throw GIDSignInError(.mismatchWithCurrentUser) }
        let options = try await self.options(consent, user.configuration)
        let signIn = try await self.signIn()
        let response = try await signIn.response(
            adding: consent.scopes.map { Scope($0) },
            to: user.session,
            options: options,
            userAgent: consent.shown(by: userAgent)
        )
        await user.parameters.save(with: user.session, in: signIn.store)
        await user.readProfile()
        return GIDSignInResult(user: user, serverAuthCode: response.serverAuthCode)
    }

    private func options(_ consent: Consent, _ configuration: GIDConfiguration) async throws -> SignInOptions {
        var options = SignInOptions(loginHint: consent.hint)
        options.claims = try ClaimsRequest(consent.claims)
        options.nonce = consent.nonce.map { Secret($0) }
        options.additionalParameters["include_granted_scopes"] = "true"
        options.serverClientID = configuration.serverClientID
        options.requiredClaims = try self.requiredClaims
        options.additionalParameters["hd"] = configuration.hostedDomain
        if let openIDRealm = configuration.openIDRealm {
            options.additionalTokenParameters["openid.realm"] = openIDRealm
        }
        if let appCheck = self.state.withLock({ $0.appCheck }), let token = try? await appCheck.attestation() {
            options.additionalParameters["client_assertion_type"] =
                "urn:ietf:params:oauth:client-assertion-type:appcheck"
            options.additionalParameters["client_assertion"] = token
        }
        return options
    }

    /// Removes the sessions of all other accounts, without revoking access at Google.
    private func forgetOthers(than account: Account, _ signIn: SignIn) async {
        for other in (try? await signIn.accounts()) ?? [] where other != account {
            if let session = try? await signIn.restore(other) { try? await session.signOut() }
        }
    }
}

extension GIDSignIn {
    /// Runs `work` in a task and calls the completion handler on the callback queue.
    func report<Value: Sendable>(
        to completion: ((Value?, (any Error)?) -> Void)?,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        Callback(on: self.callbackQueue, completion: completion).report { try await self.mapping(work) }
    }

    /// Runs `work` in a task and calls the completion handler on the callback queue.
    func report(to completion: (((any Error)?) -> Void)?, _ work: @escaping @Sendable () async throws -> Void) {
        let handler: (Bool?, (any Error)?) -> Void = { _, error in completion?(error) }
        self.report(to: handler) {
            try await work()
            return true
        }
    }

    /// Runs `work` and converts any error it throws to a ``GIDSignInError``.
    func mapping<Value: Sendable>(_ work: () async throws -> Value) async throws(GIDSignInError) -> Value {
        do {
            return try await work()
        } catch {
            throw GIDSignInError(mapping: error)
        }
    }
}

extension GIDSignIn {
    /// Signs in a user who opens a browser on a different device, for use on TVs, watches and devices without a
    /// display.
    ///
    /// For this flow, Google requires a client of the type *TVs and Limited Input devices* and permits only a few
    /// scopes. To cancel the sign-in, cancel the task.
    ///
    /// - Parameters:
    ///   - additionalScopes: Scopes in addition to `openid`, `email` and `profile`.
    ///   - present: Shows the URL and the code to the user. This closure is called once.
    /// - Returns: The result, which contains no code for a server.
    /// - Throws: ``GIDSignInError`` `accessDenied` if the user denied access, or `unknown` with the `OAuthError`
    ///   `expired_token` if the user did not respond in time.
    /// - SeeAlso: [OAuth 2.0 for TV and limited-input devices](https://developers.google.com/identity/protocols/oauth2/limited-input-device)
    @discardableResult
    public func signInOnDevice(
        additionalScopes: [String]? = nil,
        present: @escaping @Sendable (DeviceAuthorization) async throws -> Void
    ) async throws -> GIDSignInResult {
        try await self.mapping {
            let epoch = self.state.withLock { $0.epoch }
            let configuration = try self.requiredConfiguration()
            let signIn = try await self.signIn()
            let session = try await signIn.signInOnDevice(
                scopes: self.scopes(additionalScopes ?? [], signIn),
                options: SignInOptions(requiredClaims: configuration.requiredClaims),
                present: present
            )
            // The request for the code contains neither claims nor the server's client ID.
            let user = try await self.adopt(
                session,
                of: signIn,
                since: epoch,
                RepeatedParameters(claims: [], GIDConfiguration(clientID: configuration.clientID))
            )
            return GIDSignInResult(user: user, serverAuthCode: nil)
        }
    }
}

/// The result of a sign-in.
public final class GIDSignInResult: NSObject, CustomReflectable, Sendable {
    /// The user who signed in.
    public let user: GIDGoogleUser
    /// A code that the app's server exchanges for its own tokens, if Google returned one.
    ///
    /// Google returns a code only if the configuration has a server client ID, and not for every sign-in. The code is a
    /// secret and can be used only once.
    public let serverAuthCode: String?

    init(user: GIDGoogleUser, serverAuthCode: Secret?) {
        self.user = user
        self.serverAuthCode = serverAuthCode?.withUnredacted { $0 }
    }

    /// A description that contains neither the user nor any secrets.
    public override var description: String { "result of a sign-in" }
    public override var debugDescription: String { self.description }
    /// A mirror without children, so that `dump` does not print secrets.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

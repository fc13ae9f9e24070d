// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// What a program has of an authorization: the last responses, and fresh tokens from them.
///
/// However many callers wait for fresh tokens, they are asked for once. Archives are those of AppAuth.
///
/// `@unchecked`, since a class that may be inherited from is never checked: everything that changes is in one `Mutex`, and
/// the rest is `let`. A subclass has to do the same.
open class OIDAuthState: NSObject, NSSecureCoding, @unchecked Sendable {
    struct State {
        var authorizationResponse: OIDAuthorizationResponse?
        var tokenResponse: OIDTokenResponse?
        var registrationResponse: OIDRegistrationResponse?
        var scope: String?
        var refreshToken: String?
        var authorizationError: NSError?
        var needsTokenRefresh = false
        /// Of a response before the last one, which had none; in no archive.
        var earlierIDToken: String?
        weak var stateChangeDelegate: (any OIDAuthStateChangeDelegate)?
        weak var errorDelegate: (any OIDAuthStateErrorDelegate)?
    }

    private let state: Mutex<State>
    /// The tokens of the state, while there is no reason to refresh them.
    let cache = TokenCache<FreshTokens> {
        (try? AppAuthEnvironment.current()).map { State.nanoseconds($0.runtime.now()) } ?? .max
    }

    /// A state of what a sign-in and the exchange of its code brought.
    public init(
        authorizationResponse: OIDAuthorizationResponse?,
        tokenResponse: OIDTokenResponse? = nil,
        registrationResponse: OIDRegistrationResponse? = nil
    ) {
        self.state = Mutex(State())
        super.init()
        self.withState { state in
            if let registrationResponse { state.take(registrationResponse) }
            if let authorizationResponse { state.take(authorizationResponse) }
            if let tokenResponse { state.take(tokenResponse) }
        }
    }

    /// A state of a registration only: no user has signed in yet.
    public convenience init(registrationResponse: OIDRegistrationResponse) {
        self.init(authorizationResponse: nil, tokenResponse: nil, registrationResponse: registrationResponse)
    }

    /// Reads an archive; nil where something is of the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        var state = State()
        state.authorizationResponse = archive.value("lastAuthorizationResponse")
        state.tokenResponse = archive.value("lastTokenResponse")
        state.registrationResponse = archive.value("lastRegistrationResponse")
        state.authorizationError = archive.value("authorizationError")
        state.scope = archive.value("scope")
        state.refreshToken = archive.value("refreshToken")
        state.needsTokenRefresh = coder.decodeBool(forKey: "needsTokenRefresh")
        guard archive.isWhole else { return nil }
        self.state = Mutex(state)
        super.init()
        self.withState { _ in }
    }

    /// Always true.
    ///
    /// Apple's coders reject a class that overrides `init(coder:)` without overriding this property. A subclass overrides
    /// both.
    open class var supportsSecureCoding: Bool { true }

    /// Writes everything, also the secrets: an archive is to be kept as tokens are.
    open func encode(with coder: NSCoder) {
        let state = self.snapshot()
        coder.encode(members: [
            "lastAuthorizationResponse": state.authorizationResponse, "lastTokenResponse": state.tokenResponse,
        ])
        if let registration = state.registrationResponse {
            coder.encode(members: ["lastRegistrationResponse": registration])
        }
        coder.encode(members: [
            "authorizationError": state.authorizationError, "scope": state.scope,
            "refreshToken": state.refreshToken,
        ])
        coder.encode(state.needsTokenRefresh, forKey: "needsTokenRefresh")
    }

    /// What the redirect brought; nil before a sign-in.
    public var lastAuthorizationResponse: OIDAuthorizationResponse? { self.snapshot().authorizationResponse }
    /// The last response of the token endpoint; nil before the first.
    public var lastTokenResponse: OIDTokenResponse? { self.snapshot().tokenResponse }
    /// What the registration brought; nil where the program was not registered by itself.
    public var lastRegistrationResponse: OIDRegistrationResponse? { self.snapshot().registrationResponse }
    /// The granted scopes, separated by spaces.
    public var scope: String? { self.snapshot().scope }
    /// The refresh token; nil where none was given.
    public var refreshToken: String? { self.snapshot().refreshToken }
    /// Why the authorization is over; nil while it is not.
    public var authorizationError: (any Error)? { self.snapshot().authorizationError }

    /// Hears of every change; held weakly.
    public var stateChangeDelegate: (any OIDAuthStateChangeDelegate)? {
        get { self.state.withLock { $0.stateChangeDelegate } }
        set { self.state.withLock { $0.stateChangeDelegate = newValue } }
    }
    /// Hears of errors; held weakly.
    public var errorDelegate: (any OIDAuthStateErrorDelegate)? {
        get { self.state.withLock { $0.errorDelegate } }
        set { self.state.withLock { $0.errorDelegate = newValue } }
    }

    /// Whether there is a token of any kind, and no error that ended the authorization.
    ///
    /// The access token may have expired all the same.
    public var isAuthorized: Bool { self.snapshot().isAuthorized }

    /// Refreshes before the next use, however fresh the access token is.
    open func setNeedsTokenRefresh() { self.withState { $0.needsTokenRefresh = true } }

    /// Everything as it is now.
    func snapshot() -> State { self.state.withLock { $0 } }

    /// Runs `body` on the state, and publishes the tokens that it leaves.
    func withState<Result>(_ body: (inout State) -> Result) -> Result {
        self.state.withLock { state in
            defer { self.cache.publish(state.currentTokens) }
            return body(&state)
        }
    }

    /// Fresh tokens, refreshed first where they are due, with what `additionalParameters` gives then.
    func freshTokens(_ additionalParameters: @Sendable () -> [String: String]?) async throws -> FreshTokens {
        try await self.refreshedTokens(additionalParameters)
    }

    /// What is written where this is archived as a part of something.
    var archivedObject: NSObject? { self }

    /// Whether a user is signed in; nothing of the tokens.
    override open var description: String {
        "\(type(of: self)), " + (self.isAuthorized ? "authorized" : "not authorized")
    }
    override open var debugDescription: String { self.description }
}

extension OIDAuthState: ArchivedValue {}

/// Hears that a state has changed, so that the program can keep it.
public protocol OIDAuthStateChangeDelegate: AnyObject, Sendable {
    /// The state has changed; called by whoever changed it, on any thread.
    func didChange(_ state: OIDAuthState)
}

/// Hears of what went wrong with a state.
public protocol OIDAuthStateErrorDelegate: AnyObject, Sendable {
    /// The authorization is over: the user has to sign in again.
    func authState(_ state: OIDAuthState, didEncounterAuthorizationError error: any Error)

    /// Something failed that may pass; the authorization goes on.
    func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error)
}

extension OIDAuthStateErrorDelegate {
    /// Nothing, for delegates that do not care.
    public func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error) {}
}

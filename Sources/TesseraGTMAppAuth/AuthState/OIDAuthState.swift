// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// The state of an authorization, which consists of the most recent responses and the tokens derived from them.
///
/// The state refreshes its tokens on demand. Concurrent callers share one refresh. Archives are compatible with
/// AppAuth.
///
/// The conformance to `Sendable` is `@unchecked` because the compiler does not check open classes. It is safe because a
/// `Mutex` protects all mutable state, and everything else is constant. A subclass must also be thread-safe.
open class OIDAuthState: NSObject, NSSecureCoding, @unchecked Sendable {
    struct State {
        var authorizationResponse: OIDAuthorizationResponse?
        var tokenResponse: OIDTokenResponse?
        var registrationResponse: OIDRegistrationResponse?
        var scope: String?
        var refreshToken: String?
        var authorizationError: NSError?
        var needsTokenRefresh = false
        /// The most recent ID token, which may be from an earlier response than the most recent one.
        var earlierIDToken: String?
    }

    /// The delegates, which are not `Sendable`, because apps use their view controllers and models.
    ///
    /// The conformance to `Sendable` is `@unchecked` because the compiler does not check references to such objects. It
    /// is safe because a `Mutex` protects the references, and a delegate is called only on the main queue or by the
    /// app's own call of an `update` method.
    private struct Delegates: @unchecked Sendable {
        weak var stateChange: (any OIDAuthStateChangeDelegate)?
        weak var error: (any OIDAuthStateErrorDelegate)?
    }

    private let state: Mutex<State>
    private let delegates = Mutex(Delegates())
    /// A cache for the tokens, which is empty when they need to be refreshed.
    let cache = TokenCache<FreshTokens> {
        (try? AppAuthEnvironment.current()).map { State.nanoseconds($0.runtime.now()) } ?? .max
    }

    /// Creates a state from the responses to a sign-in and its code exchange.
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

    /// Creates a state from a registration.
    ///
    /// No user is signed in.
    public convenience init(registrationResponse: OIDRegistrationResponse) {
        self.init(authorizationResponse: nil, tokenResponse: nil, registrationResponse: registrationResponse)
    }

    /// Decodes a state, or returns nil if a value has the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        var state = State()
        state.authorizationResponse = archive.value("lastAuthorizationResponse")
        state.tokenResponse = archive.value("lastTokenResponse")
        state.registrationResponse = archive.value("lastRegistrationResponse")
        state.authorizationError = archive.value("authorizationError")
        state.scope = archive.value("scope")
        state.refreshToken = archive.value("refreshToken")
        state.earlierIDToken = archive.value(Self.idTokenKey)
        state.needsTokenRefresh = coder.decodeBool(forKey: "needsTokenRefresh")
        guard archive.isWhole else { return nil }
        self.state = Mutex(state)
        super.init()
        self.withState { _ in }
    }

    /// Whether the class supports secure coding, which is always true.
    ///
    /// Apple's coders reject a class that overrides `init(coder:)` without overriding this property. A subclass has to
    /// override both.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the entire state, including secrets.
    ///
    /// Protect the archive as you would protect the tokens.
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
        // AppAuth ignores this key. Without it, the next refresh could not be compared with the sign-in.
        if state.tokenResponse != nil, state.tokenResponse?.idToken == nil, let idToken = state.earlierIDToken {
            coder.encode(members: [Self.idTokenKey: idToken])
        }
    }

    /// The key of the ID token in an archive, if the most recent response had none.
    private static let idTokenKey = "dev.tessera.earlierIDToken"

    /// The most recent authorization response, or nil before the first sign-in.
    ///
    /// The value is implicitly unwrapped for compatibility with AppAuth.
    public var lastAuthorizationResponse: OIDAuthorizationResponse! { self.snapshot().authorizationResponse }
    /// The most recent response from the token endpoint, or nil before the first one.
    public var lastTokenResponse: OIDTokenResponse? { self.snapshot().tokenResponse }
    /// The most recent registration response, or nil if the app did not register its client dynamically.
    public var lastRegistrationResponse: OIDRegistrationResponse? { self.snapshot().registrationResponse }
    /// The granted scopes, separated by spaces.
    public var scope: String? { self.snapshot().scope }
    /// The refresh token, or nil if the provider issued none.
    public var refreshToken: String? { self.snapshot().refreshToken }
    /// The error that ended the authorization, or nil while it is valid.
    public var authorizationError: (any Error)? { self.snapshot().authorizationError }

    /// The delegate that is notified of every change.
    ///
    /// The delegate is held weakly. It is called on the main queue after a refresh, and otherwise on the thread that
    /// calls an `update` method.
    public var stateChangeDelegate: (any OIDAuthStateChangeDelegate)? {
        get { self.delegates.withLock { $0.stateChange } }
        set { self.delegates.withLock { $0.stateChange = newValue } }
    }
    /// The delegate that is notified of errors.
    ///
    /// The delegate is held weakly. It is called on the same threads as ``stateChangeDelegate``.
    public var errorDelegate: (any OIDAuthStateErrorDelegate)? {
        get { self.delegates.withLock { $0.error } }
        set { self.delegates.withLock { $0.error = newValue } }
    }

    /// Whether there is a token of any kind and no error has ended the authorization.
    ///
    /// The access token may have expired.
    public var isAuthorized: Bool { self.snapshot().isAuthorized }

    /// Forces a refresh before the next use, even if the access token has not expired.
    open func setNeedsTokenRefresh() { self.withState { $0.needsTokenRefresh = true } }

    /// Returns a copy of the current state.
    func snapshot() -> State { self.state.withLock { $0 } }

    /// Runs `body` with the state and then updates the token cache.
    func withState<Result>(_ body: (inout State) -> Result) -> Result {
        self.state.withLock { state in
            defer { self.cache.publish(state.currentTokens) }
            return body(&state)
        }
    }

    /// Returns valid tokens, refreshing them first if necessary.
    ///
    /// The `additionalParameters` closure is called only if the tokens are refreshed.
    func freshTokens(_ additionalParameters: @Sendable () -> [String: String]?) async throws -> FreshTokens {
        try await self.refreshedTokens(additionalParameters)
    }

    /// The object to archive when this state is part of another archive.
    var archivedObject: NSObject? { self }

    /// A description that shows whether a user is signed in, without any tokens.
    override open var description: String {
        "\(type(of: self)), " + (self.isAuthorized ? "authorized" : "not authorized")
    }
    override open var debugDescription: String { self.description }
}

extension OIDAuthState: ArchivedValue {}

/// A delegate that is notified of changes, so that the app can save the state.
public protocol OIDAuthStateChangeDelegate: AnyObject {
    /// Called after the state has changed.
    ///
    /// After a refresh, it is called on the main queue, and otherwise on the thread that changed the state.
    func didChange(_ state: OIDAuthState)
}

/// A delegate that is notified of errors that a state encounters.
public protocol OIDAuthStateErrorDelegate: AnyObject {
    /// Called when the authorization has ended.
    ///
    /// The user has to sign in again. After a refresh, it is called on the main queue.
    func authState(_ state: OIDAuthState, didEncounterAuthorizationError error: any Error)

    /// Called on the main queue after a refresh that failed with a transient error.
    ///
    /// The authorization is still valid.
    func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error)
}

extension OIDAuthStateErrorDelegate {
    /// Does nothing by default.
    public func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error) {}
}

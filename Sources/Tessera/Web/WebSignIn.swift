// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraOAuth

/// Signs in visitors to a website.
///
/// The redirect may arrive at any of the site's processes. Each sign-in attempt is saved in a ``TransientStore``. The
/// first redirect with the attempt's `state` from the same browser removes it, and later redirects are rejected, even
/// by other processes. The browser is identified by a random value (``newBrowser()``). Store it in a cookie `__Host-…;
/// Path=/; Secure; HttpOnly; SameSite=Lax`.
///
/// After ``finish(_:in:options:)``, always give the browser a new session identifier. Otherwise an attacker could set
/// an identifier in advance and share the user's session (session fixation).
///
/// - SeeAlso: [RFC 9700, sections 2.1 and 4.7](https://www.rfc-editor.org/rfc/rfc9700.html#section-4.7)
public struct WebSignIn: Sendable {
    /// The result of a completed sign-in.
    public struct Result: Sendable {
        /// The saved session.
        public let session: OAuthSession
        /// The path to redirect the browser to.
        public let path: LocalPath
    }

    /// The underlying sign-in, whose user agent is not used.
    public let signIn: SignIn
    /// The redirect URI, as registered with the provider.
    ///
    /// A site with several providers needs a different one for each, unless all of them send `iss` (RFC 9207). A hostile
    /// provider could otherwise obtain another provider's code (RFC 9700, section 4.4).
    public let redirectURI: RedirectURI
    let attempts: any TransientStore

    /// Creates a sign-in for a website.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in for the provider.
    ///   - redirectURI: The site's redirect URI, as registered with the provider.
    ///   - attempts: The store for sign-in attempts, which all processes of the site must share.
    public init(_ signIn: SignIn, redirectURI: RedirectURI, attempts: any TransientStore) {
        self.signIn = signIn
        self.redirectURI = redirectURI
        self.attempts = attempts
    }

    /// Returns a new value for the cookie that identifies a browser, with 256 random bits.
    public func newBrowser() -> Secret { Secret(RandomText.make(self.signIn.connection.runtime.randomBytes)) }

    /// Begins a sign-in attempt.
    ///
    /// The session store is checked first, so that the user is not asked to consent to a session that cannot be saved.
    /// A browser can have several attempts at once, for example in different tabs.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request.
    ///   - browser: The value of the browser's cookie.
    ///   - path: The path to return the user to after the sign-in.
    ///   - options: Further sign-in options. The response mode must return the response in the query. The options are
    ///     saved with the attempt, except for the function in ``IdentitySource/caller(_:)``.
    /// - Returns: The URL of the provider's page. Redirect the browser to it, and do not disclose it to anyone else.
    /// - Throws: `InvalidRequestError`, ``StoreError``, or any error from fetching the provider's metadata.
    public func begin(
        scopes: [Scope],
        in browser: Secret,
        returningTo path: LocalPath = .root,
        options: SignInOptions = SignInOptions()
    ) async throws -> String {
        let mode = options.effectiveResponseMode
        guard !mode.isFormPost, mode != .fragment else {
            throw InvalidRequestError("response_mode", reason: "the browser's cookie requires a query response")
        }
        let consent = SignIn.Consent(scopes: scopes, loginHint: options.loginHint, resources: options.resources)
        let client = try await self.signIn.prepare(consent, options)
        let attempt = try await self.signIn.begin(consent, options, redirectURI: self.redirectURI.uri, by: client)
        try await self.attempts.save(
            WebAttempt(authorization: attempt.encoded(), path: path, options: WebAttemptOptions(options)).encoded,
            as: Self.name(attempt.expectedState, browser),
            until: attempt.deadline,
            now: self.signIn.connection.runtime.now()
        )
        return attempt.authorizationURL
    }

    /// Finishes a sign-in attempt with the redirect from the provider.
    ///
    /// - Parameters:
    ///   - redirect: The complete URI of the browser's request.
    ///   - browser: The value of the browser's cookie.
    ///   - options: Options to add to those passed to ``begin(scopes:in:returningTo:options:)``. Only
    ///     ``IdentitySource/caller(_:)`` has to be repeated here.
    /// - Returns: The session and the path to return the user to.
    /// - Throws: `ProtocolViolationError` with the rule `state` if the redirect does not belong to a sign-in that this
    ///   browser started, in which case other attempts remain open. Throws `OAuthError` if the provider or the user
    ///   denied the request, `InvalidRequestError` if the options contradict those passed to `begin`, or any error that
    ///   ``SignIn/signIn(scopes:options:)`` throws. After any error other than `state`, the user has to start again.
    public func finish(
        _ redirect: String,
        in browser: Secret,
        options: SignInOptions = SignInOptions()
    ) async throws -> Result {
        let delivered = DeliveredResponse.redirect(redirect)
        let now = self.signIn.connection.runtime.now()
        guard let state = delivered.state,
            let stored = try await self.attempts.take(Self.name(Secret(state), browser), now: now)
        else { throw Self.unknown }
        let attempt = try WebAttempt(decoding: stored)
        let options = try attempt.options?.merged(into: options) ?? options
        let connection = self.signIn.connection
        let client = try await connection.registeredClient()
        let pending = try PendingAuthorization(decoding: attempt.authorization, by: client)
        let response = try await connection.receive(delivered, for: pending)
        let consent = SignIn.Consent(scopes: response.request.scopes, resources: response.request.resources)
        let session = try await self.signIn.accept(response, consent, options).session
        return Result(session: session, path: attempt.path)
    }

    /// Returns the name under which an attempt is stored, which requires both its `state` and the browser's cookie.
    private static func name(_ state: Secret, _ browser: Secret) -> String {
        state.withUnredacted { state in browser.withUnredacted { "attempt \($0.utf8.count) \($0) \(state)" } }
    }

    private static var unknown: ProtocolViolationError {
        ProtocolViolationError(
            .state,
            expected: "the response to a sign-in that this browser started",
            actual: "an unknown sign-in, or one that is already finished",
            section: "RFC 6749, section 10.12"
        )
    }
}

/// A path on the app's own website, to which the user returns after a sign-in.
///
/// Paths that a browser would interpret as another site are not allowed.
///
/// - SeeAlso: [RFC 9700, section 4.11.1](https://www.rfc-editor.org/rfc/rfc9700.html#section-4.11.1)
public struct LocalPath: Sendable, Hashable, CustomStringConvertible {
    /// The unmodified path, including its query.
    public let path: String

    /// Creates a local path, for example from a `return_to` query parameter.
    ///
    /// Returns nil unless the path is at most 2,048 bytes long and consists of a single `/` followed by printable ASCII
    /// characters without a backslash. Browsers treat `//host` and `/\host` as other sites, and remove tabs and line
    /// breaks.
    public init?(_ path: String) {
        let bytes = Array(path.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= 2_048,
            bytes.dropFirst().first != UInt8(ascii: "/"),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        self.path = path
    }

    private init(checked path: String) { self.path = path }

    /// The root path, `/`.
    public static let root = LocalPath(checked: "/")

    /// The path.
    public var description: String { self.path }
}

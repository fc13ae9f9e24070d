// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraOAuth

/// Signs the visitors of a web site in, whichever of the site's processes a browser comes back to.
///
/// The attempt is kept in a ``TransientStore`` and taken out of it by the first redirect that comes with its `state` in
/// the same browser; the second, here or at another process, finds nothing. Which browser it is, a random value says that
/// only that browser has (``newBrowser()``): keep it in a cookie `__Host-…; Path=/; Secure; HttpOnly; SameSite=Lax`.
///
/// After ``finish(_:in:options:)`` give the browser a new session identifier, whatever it came with: one that somebody
/// planted there before would be theirs, too.
///
/// - SeeAlso: [RFC 9700, sections 2.1 and 4.7](https://www.rfc-editor.org/rfc/rfc9700.html#section-4.7)
public struct WebSignIn: Sendable {
    /// Who came back, and where they wanted to go.
    public struct Arrival: Sendable {
        /// The session, saved.
        public let session: OAuthSession
        /// Where the person goes on.
        public let path: LocalPath
    }

    /// What signs people in; its user agent is not used.
    public let signIn: SignIn
    /// Where the provider sends the browser back to, as it is registered.
    public let redirectURI: RedirectURI
    let attempts: any TransientStore

    /// A site's sign-in.
    public init(_ signIn: SignIn, redirectURI: RedirectURI, attempts: any TransientStore) {
        self.signIn = signIn
        self.redirectURI = redirectURI
        self.attempts = attempts
    }

    /// A value for the cookie of a browser that has none: 256 random bits.
    public func newBrowser() -> Secret { Secret(RandomText.make(self.signIn.connection.runtime.randomBytes)) }

    /// Begins an attempt.
    ///
    /// The store of the sessions is tried first, so that nobody consents to what cannot be kept. A browser may have
    /// several attempts, one in each tab.
    ///
    /// - Parameters:
    ///   - scopes: what is asked for.
    ///   - browser: the value of the browser's cookie.
    ///   - path: where the person goes on afterwards.
    ///   - options: what else; `timeout` is how long the person may take. The answer has to come in the query. The options
    ///     are kept with the attempt, except for the function of ``IdentitySource/caller(_:)``.
    /// - Returns: the provider's page; send the browser there, and show the address to nobody else.
    /// - Throws: `InvalidRequestError`, ``StoreError``, and what finding out the provider's metadata throws.
    public func begin(
        scopes: [Scope],
        in browser: Secret,
        returningTo path: LocalPath = .root,
        options: SignInOptions = SignInOptions()
    ) async throws -> String {
        let mode = options.effectiveResponseMode
        guard !mode.isFormPost, mode != .fragment else {
            throw InvalidRequestError("response_mode", reason: "the browser's cookie comes along with the query alone")
        }
        let consent = SignIn.Consent(scopes: scopes, loginHint: options.loginHint, resources: options.resources)
        let client = try await self.signIn.prepare(consent, options)
        let attempt = try await self.signIn.begin(consent, options, redirectURI: self.redirectURI.uri, by: client)
        try await self.attempts.keep(
            WebAttempt(authorization: attempt.encoded(), path: path, options: WebAttemptOptions(options)).encoded,
            as: Self.name(attempt.expectedState, browser),
            until: attempt.deadline,
            now: self.signIn.connection.runtime.now()
        )
        return attempt.authorizationURL
    }

    /// Takes the redirect that ends an attempt.
    ///
    /// - Parameters:
    ///   - redirect: the whole URI that the browser asked for.
    ///   - browser: the value of the cookie that came along.
    ///   - options: what is to be added to the options of ``begin(scopes:in:returningTo:options:)``. Only
    ///     ``IdentitySource/caller(_:)`` has to be repeated here.
    /// - Returns: the session, and where the person wanted to go.
    /// - Throws: `ProtocolViolationError` `state` for what is no answer to an attempt of this browser, or was taken already:
    ///   nothing happened, other attempts stay open; `OAuthError` where the provider or the person said no; `InvalidRequestError`
    ///   where the options contradict those of the beginning; else as ``SignIn/signIn(scopes:options:)``. The attempt is
    ///   over then: begin another.
    public func finish(
        _ redirect: String,
        in browser: Secret,
        options: SignInOptions = SignInOptions()
    ) async throws -> Arrival {
        let delivered = DeliveredResponse.redirect(redirect)
        let now = self.signIn.connection.runtime.now()
        guard let state = delivered.state,
            let kept = try await self.attempts.take(Self.name(Secret(state), browser), now: now)
        else { throw Self.unknown }
        let attempt = try WebAttempt(decoding: kept)
        let options = try attempt.options?.merged(into: options) ?? options
        let connection = self.signIn.connection
        let client = try await connection.registeredClient()
        let pending = try PendingAuthorization(decoding: attempt.authorization, by: client)
        let response = try await connection.receive(delivered, for: pending)
        let consent = SignIn.Consent(scopes: response.request.scopes, resources: response.request.resources)
        let session = try await self.signIn.accept(response, consent, options).session
        return Arrival(session: session, path: attempt.path)
    }

    /// The name of an attempt: whoever has only its `state`, or only the browser's cookie, cannot make it.
    private static func name(_ state: Secret, _ browser: Secret) -> String {
        state.withUnredacted { state in browser.withUnredacted { "attempt \($0.utf8.count) \($0) \(state)" } }
    }

    private static var unknown: ProtocolViolationError {
        ProtocolViolationError(
            .state,
            expected: "the answer to an open attempt of this browser",
            actual: "none, or one that was taken already",
            section: "RFC 6749, section 10.12"
        )
    }
}

/// A path of the program's own site, and nothing that a browser takes for another site: where a person goes on after a
/// sign-in.
///
/// - SeeAlso: [RFC 9700, section 4.11.1](https://www.rfc-editor.org/rfc/rfc9700.html#section-4.11.1)
public struct LocalPath: Sendable, Hashable, CustomStringConvertible {
    /// The path with its query, as it was given.
    public let path: String

    /// Checks a path, of a query's `return_to` for example.
    ///
    /// Nil for anything but one `/` followed by printable ASCII without a backslash: `//host` and `/\host` are other
    /// sites to a browser, which drops tabs and line breaks, too.
    public init?(_ path: String) {
        let bytes = Array(path.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= 2_048,
            bytes.dropFirst().first != UInt8(ascii: "/"),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        self.path = path
    }

    private init(checked path: String) { self.path = path }

    /// The beginning of the site.
    public static let root = LocalPath(checked: "/")

    /// The path.
    public var description: String { self.path }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(AuthenticationServices) && (canImport(MessageUI) || canImport(AppKit))
public import AuthenticationServices
internal import TesseraUserAgents
#endif
public import Tessera
internal import TesseraStores

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || AsyncHTTPClient
extension SignIn {
    /// Creates a sign-in with the platform's default transport and store and without a user agent.
    ///
    /// Use this initializer on tvOS and watchOS, where users sign in on another device with
    /// `signInOnDevice(scopes:options:present:)`, and in app extensions, which only restore sessions. A sign-in that
    /// needs a user agent throws `SignInError` with `noBrowser`. On Linux, the first sign-in selects the store
    /// (``StoreChoice``).
    ///
    /// - Throws: `StoreError` if no store is available.
    public convenience init(withoutUserAgent provider: Provider) async throws {
        self.init(
            provider,
            transport: PlatformDefaults.transport(insecure: provider.insecure),
            store: try await StoreChoice.forSignIn().uri.makeStore()
        )
    }
}

#if !canImport(Darwin) || (canImport(AppKit) && !targetEnvironment(macCatalyst))
extension SignIn {
    /// Creates a sign-in with the platform's default transport, store and browser.
    ///
    /// The redirect is received at a loopback address. A sandboxed macOS app needs the entitlement
    /// `com.apple.security.network.server` (*Incoming Connections (Server)*). Without it, the sign-in throws
    /// `SignInError` with `noListener`. On Linux, the first sign-in selects the store (``StoreChoice``).
    ///
    /// This initializer is not available on iOS, tvOS, watchOS and visionOS, which suspend an app while the user is in
    /// the browser. Use the sign-in sheet or ``init(withoutUserAgent:)`` there.
    ///
    /// - Throws: `StoreError` if no store is available.
    public convenience init(_ provider: Provider) async throws {
        self.init(
            provider,
            transport: PlatformDefaults.transport(insecure: provider.insecure),
            store: try await StoreChoice.forSignIn().uri.makeStore(),
            userAgent: PlatformDefaults.userAgent()
        )
    }
}
#endif

#if canImport(AuthenticationServices) && (canImport(MessageUI) || canImport(AppKit))
extension SignIn {
    /// Creates a sign-in with the platform's default transport and store, and with the system's sign-in sheet.
    ///
    /// ```swift
    /// let client = OAuthClient(clientID: "123-abc.apps.googleusercontent.com")
    /// let redirectURI = try client.googleAppRedirectURI()
    /// let signIn = try await SignIn(.google(client: client), redirectURI: redirectURI) { self.view.window }
    /// ```
    ///
    /// An `https` redirect URI requires iOS 17.4, macOS 14.4 or visionOS 1.1, and an associated domain. See
    /// `AuthenticationSessionAgent`.
    ///
    /// - Parameters:
    ///   - provider: The provider to sign in with.
    ///   - redirectURI: A redirect URI that is registered for the client.
    ///   - prefersEphemeralSession: Whether the sheet starts without the browser's cookies.
    ///   - anchor: A closure that returns the window to present the sheet over. The window must belong to a foreground
    ///     scene. If it returns nil, the sign-in throws `SignInError` with `invalidConfiguration`.
    /// - Throws: `StoreError` if no store is available.
    public convenience init(
        _ provider: Provider,
        redirectURI: String,
        prefersEphemeralSession: Bool = false,
        anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
    ) async throws {
        self.init(
            provider,
            transport: PlatformDefaults.transport(insecure: provider.insecure),
            store: try await StoreChoice.forSignIn().uri.makeStore(),
            userAgent: AuthenticationSessionAgent(
                redirectURI: redirectURI,
                prefersEphemeralSession: prefersEphemeralSession,
                anchor: anchor
            )
        )
    }
}
#endif
#else
extension SignIn {
    /// Not available on this platform without the package trait `AsyncHTTPClient`.
    @available(*, unavailable, message: "Enable the package trait 'AsyncHTTPClient', or pass a transport to SignIn.")
    public convenience init(_ provider: Provider) async throws {
        throw StoreError(.unavailable, location: "no transport")
    }

    /// Not available on this platform without the package trait `AsyncHTTPClient`.
    @available(*, unavailable, message: "Enable the package trait 'AsyncHTTPClient', or pass a transport to SignIn.")
    public convenience init(withoutUserAgent provider: Provider) async throws {
        throw StoreError(.unavailable, location: "no transport")
    }
}
#endif

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
    /// Creates a sign-in with the platform's transport and store and without a user agent; see ``PlatformDefaults``.
    ///
    /// For televisions and watches, whose users sign in on another device with `signInOnDevice(scopes:options:present:)`,
    /// and for app extensions, which only restore sessions. A sign-in that needs a user agent throws `SignInError`
    /// `noBrowser`. The first sign-in chooses the store, see ``StoreChoice``.
    ///
    /// - Throws: `StoreError` if there is no place for sessions.
    public convenience init(withoutUserAgent provider: Provider) async throws {
        self.init(
            provider,
            transport: PlatformDefaults.transport(permitting: provider.insecure),
            store: try await StoreChoice.forSignIn().uri.makeStore()
        )
    }
}

#if !canImport(Darwin) || (canImport(AppKit) && !targetEnvironment(macCatalyst))
extension SignIn {
    /// Creates a sign-in with the platform's transport, store and browser; see ``PlatformDefaults``.
    ///
    /// The redirect arrives at a loopback address. An app for macOS in the App Sandbox needs *Incoming Connections
    /// (Server)*, the entitlement `com.apple.security.network.server`; without it the sign-in throws `SignInError`
    /// `noListener`. The first sign-in chooses the store, see ``StoreChoice``.
    ///
    /// This initializer does not exist on iOS, tvOS, watchOS and visionOS, which suspend an app while its user is in the
    /// browser. Use the sign-in sheet there, or ``init(withoutUserAgent:)``.
    ///
    /// - Throws: `StoreError` if there is no place for sessions.
    public convenience init(_ provider: Provider) async throws {
        self.init(
            provider,
            transport: PlatformDefaults.transport(permitting: provider.insecure),
            store: try await StoreChoice.forSignIn().uri.makeStore(),
            userAgent: PlatformDefaults.userAgent()
        )
    }
}
#endif

#if canImport(AuthenticationServices) && (canImport(MessageUI) || canImport(AppKit))
extension SignIn {
    /// Creates a sign-in with the platform's transport and store and the system's sign-in sheet; see ``PlatformDefaults``.
    ///
    /// ```swift
    /// let client = OAuthClient(clientID: "123-abc.apps.googleusercontent.com")
    /// let signIn = try await SignIn(.google(client: client), redirectURI: client.googleAppRedirectURI()) { self.view.window }
    /// ```
    ///
    /// An `https` redirect URI needs iOS 17.4, macOS 14.4 or visionOS 1.1 and an associated domain, see
    /// `AuthenticationSessionAgent`.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - redirectURI: A redirect URI that is registered for the client.
    ///   - prefersEphemeralSession: Whether the sheet starts without the browser's cookies.
    ///   - anchor: Returns the window that the sheet appears over. The window must belong to a scene in the foreground.
    ///     Without a window the sign-in throws `SignInError` `invalidConfiguration`.
    /// - Throws: `StoreError` if there is no place for sessions.
    public convenience init(
        _ provider: Provider,
        redirectURI: String,
        prefersEphemeralSession: Bool = false,
        anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
    ) async throws {
        self.init(
            provider,
            transport: PlatformDefaults.transport(permitting: provider.insecure),
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
    /// This platform has no transport without the package trait `AsyncHTTPClient`.
    @available(*, unavailable, message: "Enable the package trait 'AsyncHTTPClient', or give SignIn a transport.")
    public convenience init(_ provider: Provider) async throws {
        throw StoreError(.unavailable, place: "no transport")
    }

    /// This platform has no transport without the package trait `AsyncHTTPClient`.
    @available(*, unavailable, message: "Enable the package trait 'AsyncHTTPClient', or give SignIn a transport.")
    public convenience init(withoutUserAgent provider: Provider) async throws {
        throw StoreError(.unavailable, place: "no transport")
    }
}
#endif

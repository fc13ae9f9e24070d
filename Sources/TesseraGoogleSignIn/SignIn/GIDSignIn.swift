// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch
public import Foundation
internal import TesseraSupport
public import Tessera
internal import TesseraDefaults
public import TesseraGTMAppAuth
internal import TesseraOAuth

/// Signs users in with Google on all platforms, with the API of Google's library for Apple platforms.
///
/// Completion handlers are called once, asynchronously, on ``callbackQueue``. All members are thread-safe. Several
/// sign-ins can be pending at the same time, and they end independently. The results of sign-ins and refreshes are
/// saved before they are returned.
///
/// - SeeAlso: [Google Sign-In for iOS and macOS](https://developers.google.com/identity/sign-in/ios/reference/Classes/GIDSignIn)
public final class GIDSignIn: NSObject, Sendable {
    /// The instance that most apps use.
    ///
    /// Its configuration comes from Info.plist or the environment.
    public static let sharedInstance = GIDSignIn(State(), storesMultipleAccounts: false)
    #if canImport(Security)
    private static let ancestorItem: KeychainStore? = KeychainStore(itemName: "auth")
    #else
    private static let ancestorItem: KeychainStore? = nil
    #endif

    struct State {
        /// The configuration set by the app, or nil to use Info.plist or the environment.
        var configuration: GIDConfiguration?
        var user: GIDGoogleUser?
        var callbackQueue = DispatchQueue.main
        var appCheck: (any GIDAppCheckTokenProvider)?
        /// The store where Google's library saved its user.
        var ancestor: KeychainStore?
        /// The sign-in for the configured provider, or the custom sign-in.
        var signIn: SignIn?
        /// The number of sign-outs.
        ///
        /// The result of an operation that began before the most recent sign-out is discarded.
        var epoch = 0
        var allowsGoogleSignInStoreOutsideKeychain = false
        var forgetsEarlierInstallations = false
        /// Whether the installation check has been completed.
        var isInstallationKnown = false
    }

    let state: Mutex<State>
    /// Serializes installation checks on threads that ``hasPreviousSignIn()`` does not block.
    let installation = AccountQueue()
    /// Serializes new sign-ins, which remove the sessions of other accounts.
    let adoption = AccountQueue()
    /// Whether the sessions of other accounts are retained when a user signs in.
    public let storesMultipleAccounts: Bool

    private init(_ state: consuming sending State, storesMultipleAccounts: Bool) {
        var state = state
        state.ancestor = Self.ancestorItem
        self.state = Mutex(state)
        self.storesMultipleAccounts = storesMultipleAccounts
    }

    /// Creates an instance that has its own configuration and uses the platform's transport, store and browser.
    ///
    /// - Parameters:
    ///   - configuration: The client and the requirements for sign-ins.
    ///   - storesMultipleAccounts: Whether the sessions of other accounts are retained when a user signs in. See
    ///     ``previousUsers()``.
    public convenience init(configuration: GIDConfiguration, storesMultipleAccounts: Bool = true) {
        var state = State()
        state.configuration = configuration
        self.init(state, storesMultipleAccounts: storesMultipleAccounts)
    }

    /// Creates an instance with a custom sign-in, including its provider, transport and store.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in. Create one instance for each provider and store.
    ///   - configuration: The requirements for sign-ins, or nil for none. Its client ID must match the
    ///     provider's.
    ///   - storesMultipleAccounts: Whether the sessions of other accounts are retained when a user signs in.
    public convenience init(
        signIn: SignIn,
        configuration: GIDConfiguration? = nil,
        storesMultipleAccounts: Bool = true
    ) {
        var state = State()
        state.signIn = signIn
        state.configuration =
            configuration
            ?? GIDConfiguration(
                clientID: signIn.provider.client.clientID,
                serverClientID: nil,
                hostedDomain: nil,
                openIDRealm: nil,
                location: .provider(signIn.provider)
            )
        self.init(state, storesMultipleAccounts: storesMultipleAccounts)
    }

    /// The signed-in user, or nil if no user is signed in.
    ///
    /// Call ``restorePreviousSignIn(completion:)`` at launch to restore the previous user.
    public var currentUser: GIDGoogleUser? { self.state.withLock { $0.user } }

    /// The app's client configuration.
    ///
    /// The default is the configuration from Info.plist or the environment.
    ///
    /// A change takes effect the next time a user signs in. The current user stays signed in.
    public var configuration: GIDConfiguration? {
        get { self.state.withLock { $0.configuration } ?? (try? GIDConfiguration.found()) }
        set {
            self.state.withLock { state in
                if let signIn = state.signIn, signIn.provider != (try? newValue?.provider) { state.signIn = nil }
                state.configuration = newValue
            }
        }
    }

    /// The keychain item where Google's library stored its user, who stays signed in after the app has been migrated.
    ///
    /// If no user is signed in, ``restorePreviousSignIn(completion:)`` creates a session from the item if it belongs to
    /// the same client, saves the session and removes the item. Signing out also removes the item. An item that cannot
    /// be decoded is never removed. The default is the item `auth` on Apple platforms and nil elsewhere. If this is
    /// nil, no item is read.
    public var googleSignInStore: KeychainStore? {
        get { self.state.withLock { $0.ancestor } }
        set { self.state.withLock { $0.ancestor = newValue } }
    }

    /// Whether a session from Google's library may be moved from the keychain to a store that is not a
    /// `KeychainSessionStore`.
    ///
    /// By default, ``restorePreviousSignIn(completion:)`` throws `invalidConfiguration` if ``googleSignInStore`` has a
    /// session for this client but a different kind of store is used and contains no session. The item is retained. Set
    /// this property to true for a custom store that protects a refresh token as well as the keychain does. The default
    /// is false.
    public var allowsGoogleSignInStoreOutsideKeychain: Bool {
        get { self.state.withLock { $0.allowsGoogleSignInStoreOutsideKeychain } }
        set { self.state.withLock { $0.allowsGoogleSignInStoreOutsideKeychain = newValue } }
    }

    /// Whether the first launch of a new installation removes the sign-ins that an earlier installation left in the
    /// keychain.
    ///
    /// Keychain items survive the removal of an app, so a user who installs the app again is still signed in. If this
    /// property is true, the first call in a new installation removes this client's sessions and the item in
    /// ``googleSignInStore``, as Google's library does. An item that cannot be decoded is retained. The default is
    /// false.
    ///
    /// A new installation is detected by a missing file in `Library/Application Support` in the app's container, which
    /// the system removes along with the app. The file is created even if this property is false, so that a later
    /// version can enable it. Nothing is removed in app extensions, which have their own container, on tvOS, where such
    /// a file does not persist, or in apps without a container. On macOS, the container persists when an app is
    /// deleted.
    ///
    /// Set this property before making any other call. An app that migrates from Google's library should leave it false
    /// in installations where that library has run, so that users stay signed in: `google.forgetsEarlierInstallations =
    /// !UserDefaults.standard.bool(forKey: "GID_AppHasRunBefore")`.
    public var forgetsEarlierInstallations: Bool {
        get { self.state.withLock { $0.forgetsEarlierInstallations } }
        set { self.state.withLock { $0.forgetsEarlierInstallations = newValue } }
    }

    /// The queue for completion handlers.
    ///
    /// The default is the main queue.
    public var callbackQueue: DispatchQueue {
        get { self.state.withLock { $0.callbackQueue } }
        set { self.state.withLock { $0.callbackQueue = newValue } }
    }

    /// Returns the configuration, or throws an error if the client ID is missing.
    func requiredConfiguration() throws -> GIDConfiguration {
        if let configuration = self.state.withLock({ $0.configuration }) { return configuration }
        guard let found = try GIDConfiguration.found() else {
            throw GIDSignInError(.invalidConfiguration, detail: "the client ID is missing")
        }
        return found
    }

    /// Returns the sign-in for the configured provider, after checking the installation.
    func signIn() async throws -> SignIn {
        let signIn = try await self.madeSignIn()
        try await self.checkInstallation(signIn)
        return signIn
    }

    private func madeSignIn() async throws -> SignIn {
        if let signIn = self.state.withLock({ $0.signIn }) { return signIn }
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || AsyncHTTPClient
        let provider = try self.requiredConfiguration().provider
        let made = SignIn(
            provider,
            transport: PlatformDefaults.transport(insecure: provider.insecure),
            store: try await StoreChoice.forGoogleApp(provider)
        )
        return self.state.withLock { state in
            // If two callers create a sign-in, both use the first one, so that each account has only one session
            // object.
            let signIn = state.signIn ?? made
            state.signIn = signIn
            return signIn
        }
        #else
        throw GIDSignInError(
            .invalidConfiguration,
            detail: "enable the package trait AsyncHTTPClient, or use GIDSignIn(signIn:)"
        )
        #endif
    }
}

extension GIDConfiguration {
    var provider: Provider { get throws { try self.location.provider(clientID: self.clientID) } }

    /// The claims that an account's ID token must contain.
    var requiredClaims: [String: String] { self.hostedDomain.map { ["hd": $0] } ?? [:] }
}

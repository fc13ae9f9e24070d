// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch
public import Foundation
internal import TesseraSupport
public import Tessera
public import TesseraGTMAppAuth
internal import TesseraOAuth

/// Signs users in with Google on Apple platforms and Linux, with the API of Google's library for Apple platforms.
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

    struct State {
        /// The configuration that the app has set, or that was found in Info.plist or the environment.
        var configuration: GIDConfiguration?
        /// Whether the app has set the configuration, which can be nil.
        var isConfigurationSet = false
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
        /// The number of sign-outs that are removing the stored sessions of all accounts.
        var pendingSignOuts = 0
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

    /// The settings, the transport and the stores that are used without a custom sign-in.
    let platform: Platform

    init(_ state: consuming sending State, storesMultipleAccounts: Bool, platform: Platform = Platform()) {
        ArchivedClasses.register()
        var state = state
        state.ancestor = platform.item
        self.state = Mutex(state)
        self.storesMultipleAccounts = storesMultipleAccounts
        self.platform = platform
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
    /// A change takes effect the next time a user signs in. The current user stays signed in. If this is nil, no user
    /// can sign in, but a user who signed in with Google's library or whose session is in the app's keychain can be
    /// restored.
    public var configuration: GIDConfiguration? {
        get { try? self.foundConfiguration() }
        set {
            self.state.withLock { state in
                if let newValue, let signIn = state.signIn, signIn.provider != (try? newValue.provider) {
                    state.signIn = nil
                }
                state.configuration = newValue
                state.isConfigurationSet = true
            }
        }
    }

    /// The keychain item where Google's library stored its user, who stays signed in after the app has been migrated.
    ///
    /// If no user is signed in, ``restorePreviousSignIn(completion:)`` creates a session from the item if it belongs to
    /// the same client, saves the session and removes the item. Signing out also removes the item. An item that cannot
    /// be decoded is never removed. The default is the item `auth` on Apple platforms and nil elsewhere. If this is
    /// nil, no item is read.
    ///
    /// On macOS, releases of that library before 9 stored the item in the login keychain. It is moved to the default
    /// item once.
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

    /// Returns the configuration of the app, Info.plist or the environment, if any.
    ///
    /// - Throws: An error if the client file cannot be read.
    func foundConfiguration() throws -> GIDConfiguration? {
        let (known, isSet) = self.state.withLock { ($0.configuration, $0.isConfigurationSet) }
        if known != nil || isSet { return known }
        guard let found = try self.platform.configuration() else { return nil }
        return self.state.withLock { state in
            if state.configuration == nil, !state.isConfigurationSet { state.configuration = found }
            return state.configuration
        }
    }

    /// Returns the configuration, or throws an error if the client ID is missing.
    func requiredConfiguration() throws -> GIDConfiguration {
        guard let configuration = try self.foundConfiguration() else { throw Self.noClient }
        return configuration
    }

    private static var noClient: GIDSignInError {
        GIDSignInError(.invalidConfiguration, detail: "the client ID is missing")
    }

    /// The claims that an account's ID token must contain.
    var requiredClaims: [String: String] { get throws { try self.foundConfiguration()?.requiredClaims ?? [:] } }

    /// Returns the sign-in for the configured provider, after checking the installation.
    func signIn() async throws -> SignIn {
        guard let signIn = try await self.knownSignIn() else { throw Self.noClient }
        return signIn
    }

    /// Returns the sign-in for the configured provider or, without a configuration, for the client of a stored session.
    ///
    /// - Returns: The sign-in, or nil if the client is not known.
    func knownSignIn() async throws -> SignIn? {
        guard let signIn = try await self.madeSignIn() else { return nil }
        try await self.checkInstallation(signIn)
        return signIn
    }

    private func madeSignIn() async throws -> SignIn? {
        while true {
            if let signIn = self.state.withLock({ $0.signIn }) { return signIn }
            let configuration = try self.foundConfiguration()
            let provider: Provider? =
                if let configuration { try configuration.provider } else { try await self.storedProvider() }
            guard let provider else { return nil }
            let runtime = try self.platform.runtime(provider)
            let made = SignIn(provider, runtime: runtime, store: try await self.platform.store(provider))
            // If two callers create a sign-in, both use the first one, so that each account has only one session
            // object. If the app has changed the configuration in the meantime, another one is created.
            let isCurrent = self.state.withLock { state in
                guard state.configuration === configuration else { return false }
                state.signIn = state.signIn ?? made
                return true
            }
            if !isCurrent { continue }
        }
    }
}

extension GIDConfiguration {
    /// The provider with the app's client.
    var provider: Provider { get throws { try self.location.provider(clientID: self.clientID) } }

    /// The claims that an account's ID token must contain.
    var requiredClaims: [String: String] { self.hostedDomain.map { ["hd": $0] } ?? [:] }
}

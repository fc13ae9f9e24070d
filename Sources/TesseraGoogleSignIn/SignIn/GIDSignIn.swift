// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch
public import Foundation
internal import TesseraSupport
public import Tessera
internal import TesseraDefaults
public import TesseraGTMAppAuth
internal import TesseraOAuth

/// Signs people in with Google, under the names of Google's library for Apple's systems, on every system.
///
/// Completion handlers are called once, later, on ``callbackQueue``. Any thread may call anything. Several sign-ins may be
/// open at once; each ends for itself. What a sign-in brings is saved before anybody gets it, and so is every refresh.
///
/// - SeeAlso: [Google Sign-In for iOS and macOS](https://developers.google.com/identity/sign-in/ios/reference/Classes/GIDSignIn)
public final class GIDSignIn: NSObject, Sendable {
    /// The one that most programs use; its configuration is found in Info.plist or in the environment.
    public static let sharedInstance = GIDSignIn(State(), keepsSeveralAccounts: false)
    #if canImport(Security)
    private static let ancestorItem: KeychainStore? = KeychainStore(itemName: "auth")
    #else
    private static let ancestorItem: KeychainStore? = nil
    #endif

    struct State {
        /// Nil: what is found.
        var configuration: GIDConfiguration?
        var user: GIDGoogleUser?
        var callbackQueue = DispatchQueue.main
        var appCheck: (any GIDAppCheckTokenProvider)?
        /// Where Google's own library keeps its user.
        var ancestor: KeychainStore?
        /// The sign-in for a configuration's provider, or the program's own.
        var signIn: SignIn?
        /// Counts what ends sessions: whatever began before is not wanted any more.
        var epoch = 0
        var allowsAncestorOutsideKeychain = false
        var forgetsEarlierInstallations = false
        /// Whether this installation is known to have run before.
        var isInstallationKnown = false
    }

    let state: Mutex<State>
    /// One caller at a time checks the installation, on no thread of those that ``hasPreviousSignIn()`` may block.
    let installation = AccountTurns()
    /// One sign-in at a time becomes the current one, and removes the others.
    let adoption = AccountTurns()
    /// Whether other people's sessions stay when somebody signs in.
    public let keepsSeveralAccounts: Bool

    private init(_ state: consuming sending State, keepsSeveralAccounts: Bool) {
        var state = state
        state.ancestor = Self.ancestorItem
        self.state = Mutex(state)
        self.keepsSeveralAccounts = keepsSeveralAccounts
    }

    /// One with a configuration of its own, over the platform's transport, store and browser.
    ///
    /// - Parameters:
    ///   - configuration: the client and what is demanded.
    ///   - keepsSeveralAccounts: whether other people's sessions stay when somebody signs in; see ``previousUsers()``.
    public convenience init(configuration: GIDConfiguration, keepsSeveralAccounts: Bool = true) {
        var state = State()
        state.configuration = configuration
        self.init(state, keepsSeveralAccounts: keepsSeveralAccounts)
    }

    /// One over a sign-in of the program's, with its provider, transport and store.
    ///
    /// - Parameters:
    ///   - signIn: made once per provider and store.
    ///   - configuration: what is demanded; nil: nothing beyond the provider's client. Its client has to be the provider's.
    ///   - keepsSeveralAccounts: whether other people's sessions stay when somebody signs in.
    public convenience init(
        signIn: SignIn,
        configuration: GIDConfiguration? = nil,
        keepsSeveralAccounts: Bool = true
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
                place: .provider(signIn.provider)
            )
        self.init(state, keepsSeveralAccounts: keepsSeveralAccounts)
    }

    /// Who is signed in, nil for nobody, and before ``restorePreviousSignIn(completion:)``.
    public var currentUser: GIDGoogleUser? { self.state.withLock { $0.user } }

    /// Which client the program is; found in Info.plist or in the environment unless it is set.
    ///
    /// Another client is used from the next sign-in on; the present user stays.
    public var configuration: GIDConfiguration? {
        get { self.state.withLock { $0.configuration } ?? (try? GIDConfiguration.found()) }
        set {
            self.state.withLock { state in
                if let signIn = state.signIn, signIn.provider != (try? newValue?.provider) { state.signIn = nil }
                state.configuration = newValue
            }
        }
    }

    /// Where Google's own library keeps its user, who is still signed in after a program has moved to this one.
    ///
    /// ``restorePreviousSignIn(completion:)`` looks there where nobody has signed in here, makes a session of what it
    /// finds for the same client, and removes the item when that is saved. A sign-out removes it too. An item that cannot
    /// be decoded is never removed. The item `auth` on Apple's systems unless it is set, and nil elsewhere; with nil no item
    /// is read.
    public var ancestorStore: KeychainStore? {
        get { self.state.withLock { $0.ancestor } }
        set { self.state.withLock { $0.ancestor = newValue } }
    }

    /// Whether a session of Google's library may move from the keychain into a store that is not a `KeychainSessionStore`.
    ///
    /// With another store, ``restorePreviousSignIn(completion:)`` throws `invalidConfiguration` where ``ancestorStore`` has a
    /// session for this client and no session is stored here, and the item stays. Set this for a store of your own that
    /// protects a refresh token as well as the keychain does. Defaults to false.
    public var allowsAncestorOutsideKeychain: Bool {
        get { self.state.withLock { $0.allowsAncestorOutsideKeychain } }
        set { self.state.withLock { $0.allowsAncestorOutsideKeychain = newValue } }
    }

    /// Whether the first launch of a new installation removes the sign-ins that an earlier one left in the keychain.
    ///
    /// The keychain's items survive an uninstall, so a user who installs the app again is signed in without being asked.
    /// If this is true, the first call on a new installation removes this client's sessions and the item of
    /// ``ancestorStore``, as Google's library does; an item that cannot be decoded stays. Defaults to false.
    ///
    /// A new installation is one without a file in `Library/Application Support` of the app's container, which the system
    /// removes with the app. The file is made whether this is true or not, so a later version can turn it on. Nothing is
    /// removed in app extensions, which have a container of their own, on tvOS, where such a file does not last, and where
    /// there is no container. On macOS the container stays when an app is deleted.
    ///
    /// Set it before any other call. An app that moves from Google's library leaves it off in installations where that
    /// library ran, since its users should stay signed in:
    /// `google.forgetsEarlierInstallations = !UserDefaults.standard.bool(forKey: "GID_AppHasRunBefore")`.
    public var forgetsEarlierInstallations: Bool {
        get { self.state.withLock { $0.forgetsEarlierInstallations } }
        set { self.state.withLock { $0.forgetsEarlierInstallations = newValue } }
    }

    /// Where completion handlers are called: the main queue unless it is set.
    public var callbackQueue: DispatchQueue {
        get { self.state.withLock { $0.callbackQueue } }
        set { self.state.withLock { $0.callbackQueue = newValue } }
    }

    /// The configuration, demanded.
    func demandedConfiguration() throws -> GIDConfiguration {
        if let configuration = self.state.withLock({ $0.configuration }) { return configuration }
        guard let found = try GIDConfiguration.found() else {
            throw GIDSignInError(.invalidConfiguration, detail: "there is no client ID")
        }
        return found
    }

    /// The sign-in at the configured provider, made once, after the first launch was handled.
    func signIn() async throws -> SignIn {
        let signIn = try await self.madeSignIn()
        try await self.checkInstallation(signIn)
        return signIn
    }

    private func madeSignIn() async throws -> SignIn {
        if let signIn = self.state.withLock({ $0.signIn }) { return signIn }
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || AsyncHTTPClient
        let provider = try self.demandedConfiguration().provider
        let made = SignIn(
            provider,
            transport: PlatformDefaults.transport(permitting: provider.insecure),
            store: try await StoreChoice.forGoogleApp(provider)
        )
        return self.state.withLock { state in
            // Of two that were made at once the first is everybody's: each account has one session object.
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
    var provider: Provider { get throws { try self.place.provider(clientID: self.clientID) } }

    /// What an account's ID token has to have.
    var requiredClaims: [String: String] { self.hostedDomain.map { ["hd": $0] } ?? [:] }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGoogleSignIn
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting

/// An app that uses GIDSignIn, with a scripted provider in place of Google.
struct Program {
    let network: ScriptedProvider
    let store: any SessionStore
    let signIn: SignIn
    let google: GIDSignIn
    private let suspension: ProcessSuspension?

    static let drive = "https://www.googleapis.com/auth/drive"

    init(
        _ options: ScriptedProvider.Options = ScriptedProvider.Options(),
        configuration: GIDConfiguration? = nil,
        storesMultipleAccounts: Bool = false,
        store: any SessionStore = InMemoryStore(),
        suspension: ProcessSuspension? = nil
    ) throws {
        let network = try ScriptedProvider(options: options)
        try self.init(network, store, configuration, storesMultipleAccounts, suspension)
    }

    private init(
        _ network: ScriptedProvider,
        _ store: any SessionStore,
        _ configuration: GIDConfiguration?,
        _ storesMultipleAccounts: Bool,
        _ suspension: ProcessSuspension? = nil
    ) throws {
        var runtime = network.runtime
        runtime.suspension = suspension
        self.network = network
        self.store = store
        self.suspension = suspension
        var provider = try network.provider
        provider.scopeAliases = ScopeAliases(["https://www.googleapis.com/auth/userinfo.email": .email])
        provider.incrementalParameters = ["include_granted_scopes": "true"]
        self.signIn = SignIn(provider, runtime: runtime, store: store, userAgent: network.userAgent())
        self.google = GIDSignIn(
            signIn: self.signIn,
            configuration: configuration,
            storesMultipleAccounts: storesMultipleAccounts
        )
    }

    /// Returns the app after a restart.
    func restarted(_ configuration: GIDConfiguration? = nil) throws -> Program {
        try Program(self.network, self.store, configuration, self.google.storesMultipleAccounts, self.suspension)
    }

    /// Returns the app with another store at the same provider.
    func updated(_ store: any SessionStore) throws -> Program { try Program(self.network, store, nil, false) }

    /// Returns a presenter for a user who grants these scopes, or all of them by default.
    func presenter(granting scopes: [Scope]? = nil, as subject: String = "ada") -> Presenter {
        Presenter(self.network.userAgent(granting: scopes, as: subject))
    }

    /// Returns a presenter for a user who denies access.
    func denyingPresenter() -> Presenter {
        let network = self.network
        return Presenter(ScriptedUserAgent { url in [try network.denial(of: url)] })
    }

    /// Signs in and returns the user.
    func signedIn(_ scopes: [String] = []) async throws -> GIDGoogleUser {
        try await self.google.signIn(withPresenting: self.presenter(), additionalScopes: scopes).user
    }

    /// Waits until the store contains no session.
    ///
    /// On a slow machine, the synchronous `signOut()` returns before it has removed the session.
    func untilSessionsAreRemoved() async throws {
        while try await !self.store.list().isEmpty, !Task.isCancelled { await Task.yield() }
    }

    /// Adds claims to every ID token from now on, in place of those with the same names.
    func issue(_ additional: [JSONMember]) {
        let network = self.network
        let names = Set(additional.map(\.name))
        network.options.idTokens = { claims, _ in
            try network.sign(claims.filter { !names.contains($0.name) } + additional)
        }
    }

    /// Adds a name, a given name, a family name and a picture to every ID token from now on, except for one of them.
    func issueProfiles(without missing: String? = nil) {
        let claims = [
            JSONMember(name: "name", value: "Ada Lovelace"), JSONMember(name: "given_name", value: "Ada"),
            JSONMember(name: "family_name", value: "Lovelace"),
            JSONMember(name: "picture", value: "https://lh3.googleusercontent.com/a/x=s96-c"),
        ]
        self.issue(claims.filter { $0.name != missing })
    }

    func expire() { self.network.clock.advance(by: .seconds(3_600)) }
}

/// Presents the sign-ins of a test.
struct Presenter: SignInPresenter {
    let userAgent: ScriptedUserAgent

    init(_ userAgent: ScriptedUserAgent) { self.userAgent = userAgent }

    var signInUserAgent: any UserAgent { self.userAgent }
}

/// Returns the code of the error that `body` throws, or nil if it does not throw.
func code<Value>(_ body: () async throws -> Value) async -> GIDSignInError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? GIDSignInError)?.code
    }
}

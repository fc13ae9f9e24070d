// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting

/// A program with Google's names, over a scripted provider that plays Google.
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
        keepsSeveralAccounts: Bool = false,
        store: any SessionStore = InMemoryStore(),
        suspension: ProcessSuspension? = nil
    ) throws {
        let network = try ScriptedProvider(options: options)
        try self.init(network, store, configuration, keepsSeveralAccounts, suspension)
    }

    private init(
        _ network: ScriptedProvider,
        _ store: any SessionStore,
        _ configuration: GIDConfiguration?,
        _ keepsSeveralAccounts: Bool,
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
            keepsSeveralAccounts: keepsSeveralAccounts
        )
    }

    /// The program when it runs the next time.
    func restarted(_ configuration: GIDConfiguration? = nil) throws -> Program {
        try Program(self.network, self.store, configuration, self.google.keepsSeveralAccounts, self.suspension)
    }

    /// The program with nothing in its store, at the same provider.
    func updated(_ store: any SessionStore) throws -> Program { try Program(self.network, store, nil, false) }

    /// The browser of somebody who ticks these scopes, all of them by default.
    func person(granting scopes: [Scope]? = nil, as subject: String = "ada") -> Presenter {
        Presenter(self.network.userAgent(granting: scopes, as: subject))
    }

    /// The browser of somebody who says no.
    func denier() -> Presenter {
        let network = self.network
        return Presenter(ScriptedUserAgent { url in [try network.denial(of: url)] })
    }

    /// Somebody is signed in.
    func signedIn(_ scopes: [String] = []) async throws -> GIDGoogleUser {
        try await self.google.signIn(withPresenting: self.person(), additionalScopes: scopes).user
    }

    func expire() { self.network.clock.advance(by: .seconds(3_600)) }
}

/// Where the sign-ins of a test appear.
struct Presenter: SignInPresenter {
    let userAgent: ScriptedUserAgent

    init(_ userAgent: ScriptedUserAgent) { self.userAgent = userAgent }

    var signInUserAgent: any UserAgent { self.userAgent }
}

/// The code of the error that a call throws, nil where it throws none.
func code<Value>(_ body: () async throws -> Value) async -> GIDSignInError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? GIDSignInError)?.code
    }
}

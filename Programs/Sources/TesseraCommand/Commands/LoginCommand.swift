// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraDefaults
internal import TesseraJOSE

/// `tessera login`.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in with a browser",
        discussion: """
            Without --scope, requests openid, email and profile. The 'openid' scope is always requested. You may \
            deselect scopes on the provider's page, and the granted scopes are printed at the end.

            With --issuer alone, uses the client registered by 'tessera register'. With --device, you sign in on \
            another device, such as a phone: the command shows a URL, a code and a QR code.

            Examples:
              tessera login --google --client client_secret.json
              tessera login --issuer https://login.example.com --client-id my-program --account work
              tessera login --google --client client_secret.json --scope https://www.googleapis.com/auth/drive.readonly
              tessera login --issuer https://login.example.com --client-id my-program --no-browser
              tessera login --issuer https://login.example.com --client-id my-program --device
              tessera login --issuer https://login.example.com --par --dpop
            """
    )

    @OptionGroup var provider: ProviderOptions

    @Option(help: ArgumentHelp("A scope to request. Can be repeated.", valueName: "scope"))
    var scope: [String] = []

    @Option(
        help: ArgumentHelp("A name for this account, to use with --account in other commands.", valueName: "name")
    )
    var account: String?

    @Option(help: ArgumentHelp("The email address that the sign-in page suggests.", valueName: "email"))
    var loginHint: String?

    @Option(
        help: ArgumentHelp("The maximum time since you signed in to the provider, in seconds.", valueName: "seconds")
    )
    var maxAge: Int?

    @OptionGroup var prompts: PromptOptions

    @Option(
        help: ArgumentHelp(
            """
            Accept only ID tokens that are signed with this algorithm. Can be repeated. (default: those that \
            the provider lists)
            """,
            valueName: "alg"
        ),
        completion: .list(JWSAlgorithm.supported.map(\.rawValue))
    )
    var idTokenAlg: [String] = []

    @Option(
        help: ArgumentHelp(
            "An additional origin that fetch may call, such as https://api.example.com. The origin is saved.",
            valueName: "origin"
        )
    )
    var allowOrigin: [String] = []

    @Flag(help: "Sign in on another device: show a URL and a code instead of opening a browser.")
    var device = false

    @Flag(help: "Push the request to the provider before the browser opens (PAR).")
    var par = false

    @Flag(help: "Bind the tokens to this session's key (DPoP). Fails if the provider does not support it.")
    var dpop = false

    @OptionGroup var browser: BrowserOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try self.provider.validateForSignIn()
        if let maxAge, maxAge < 0 { throw ValidationError("--max-age cannot be negative.") }
        try ScopeArgument.validate(self.scope, of: "--scope")
        if self.account?.isEmpty == true { throw ValidationError("--account cannot be empty.") }
        let algorithms = JWSAlgorithm.supported.map(\.rawValue)
        guard self.idTokenAlg.allSatisfy(algorithms.contains) else {
            throw ValidationError("--id-token-alg must be one of \(algorithms.joined(separator: ", ")).")
        }
        if self.device, let option = self.optionForBrowser {
            throw ValidationError("--device and \(option) cannot be used together.")
        }
    }

    private var optionForBrowser: String? {
        if let option = self.browser.firstGiven { return option }
        if self.par { return "--par" }
        if !self.prompts.prompt.isEmpty { return "--prompt" }
        if self.loginHint != nil { return "--login-hint" }
        return self.maxAge == nil ? nil : "--max-age"
    }

    func run() async throws {
        guard !self.provider.lacksClient else { throw ClientGuide.error(asJSON: self.output.json) }
        let registration = try await self.provider.registration(on: try self.store.open())
        var (provider, clientType) = try await self.provider.provider(known: registration?.registration.client)
        if self.dpop { provider.dpop = .required }
        if !self.idTokenAlg.isEmpty {
            provider.client.idTokenAlgorithms = self.idTokenAlg.map { JWSAlgorithm(rawValue: $0) }
        }
        let origins = try self.allowOrigin.map { try OriginPattern($0) }
        let (catalog, choice) = try await self.store.openForSignIn()
        let progress = SignInProgress(isVerbose: self.output.verbose)
        let signIn = SignIn(
            provider,
            transport: PlatformDefaults.transport(insecure: provider.insecure),
            store: catalog.store,
            userAgent: try self.browser.userAgent(progress, registered: registration?.loopbackRedirectURI)
        )
        var options = SignInOptions(
            loginHint: self.loginHint,
            prompt: self.prompts.prompts,
            authorizedOrigins: origins,
            applicationName: "tessera"
        )
        options.maxAge = self.maxAge
        options.pushesAuthorizationRequest = self.par
        options.label = self.account
        options.redirectURI = self.browser.redirectURI ?? registration?.loopbackRedirectURI
        options.clientType = clientType
        options.timeout = self.browser.timeout.duration
        self.output.remark("Signing in at \(provider.issuer.url). Sessions are stored in \(catalog.uri)")
        let scopes = self.scopes()
        defer { progress.stopCounting() }
        let session =
            if self.device {
                try await signIn.signInOnDevice(scopes: scopes, options: options) { authorization in
                    DevicePrompt(authorization).show(asJSON: self.output.json)
                    progress.awaitDecision(within: authorization.expiresIn)
                }
            } else {
                try await signIn.signIn(scopes: scopes, options: options)
            }
        progress.stopCounting()
        try await CachedToken.forgetAll()
        if !self.output.json { choice?.announce() }
        self.output.report(session, in: catalog, title: "Signed in.")
    }

    private func scopes() -> [Scope] {
        let asked = ScopeArgument.scopes(self.scope)
        if asked.isEmpty { return [.openID, .email, .profile] }
        if asked.contains(.openID) { return asked }
        self.output.remark("Also requesting openid, which identifies the user")
        return [.openID] + asked
    }
}

/// Explains where a client comes from.
private enum ClientGuide {
    /// Prints the explanation, and returns the error to throw so that the command exits with the right code.
    static func error(asJSON isJSON: Bool) -> any Error {
        let page = "https://console.cloud.google.com/auth/clients"
        Console.note(
            """
            tessera: Signing in needs a client, which identifies the program to the provider.
              1. Open \(page), and create a client of the type “Desktop app”.
              2. Download its JSON file as client_secret.json, then run: tessera login --client client_secret.json
              With another provider, run: tessera login --issuer URL --client-id ID
              Docs/GoogleSetup.md has every step. To try a sign-in without a client, run: tessera demo
            """
        )
        if isJSON {
            let error = CommandError.usage(
                "Signing in needs a client",
                "Create one at \(page), then run 'tessera login --client client_secret.json'."
            )
            Console.print(json: ErrorReport(error).json)
        }
        return ExitCode(ExitStatus.usage.rawValue)
    }
}

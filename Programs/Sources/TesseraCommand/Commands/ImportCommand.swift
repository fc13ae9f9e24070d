// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraDefaults
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraMigration
internal import TesseraStores
internal import TesseraUserAgents

/// `tessera import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import credentials from another tool",
        discussion: """
            The format of FILE is detected from its contents: an authorized_user file, such as gcloud's application \
            default credentials; a token.json of google-auth; a binary keyed archive of AppAuth, GTMAppAuth or \
            GoogleSignIn; or GTMOAuth2's string. The file is not changed. Its refresh token is used once to find out \
            which account it belongs to.

            The file does not decide where its refresh token is sent. Unless the file is Google's, name the provider \
            with --issuer. If the file does not name the client, name the client of the other tool.

            Examples:
              tessera import ~/.config/gcloud/application_default_credentials.json
              tessera import token.json --account work
              tessera import session.plist --client client_secret.json
              pass show token.json | tessera import -
            """
    )

    @Argument(help: ArgumentHelp("What the other tool kept; - is standard input.", valueName: "file"))
    var file: String

    @OptionGroup var provider: ProviderOptions

    @Option(
        help: ArgumentHelp("A name of yours for this account, for --account of the other commands.", valueName: "name")
    )
    var account: String?

    @Option(
        help: ArgumentHelp(
            "Who it is, where the grant does not let the provider say: the person's identifier there.",
            valueName: "id"
        )
    )
    var subject: String?

    @Option(
        help: ArgumentHelp(
            "An origin beside the provider's own that fetch may call, such as https://api.example.com; kept.",
            valueName: "origin"
        )
    )
    var allowOrigin: [String] = []

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    /// Longer than anything that a tool keeps of a sign-in.
    private static let maximumLength = 1 << 22

    func validate() throws {
        if self.account?.isEmpty == true { throw ValidationError("--account cannot be empty.") }
        if self.subject?.isEmpty == true { throw ValidationError("--subject cannot be empty.") }
    }

    private var name: String { self.file == "-" ? "standard input" : self.file }

    func run() async throws {
        let imported = try await self.read()
        // Before the refresh token is used: a provider that replaces it would do so for nothing.
        if self.subject == nil, !imported.mayTellWho { throw Self.unidentified("its scopes name nobody") }
        let origins = try self.allowOrigin.map { try OriginPattern($0) }
        let (provider, clientType) = try await self.provider(of: imported)
        let (shelf, choice) = try await self.store.openForSignIn()
        let signIn = SignIn(
            provider,
            transport: PlatformDefaults.transport(permitting: provider.insecure),
            store: shelf.store,
            userAgent: SystemBrowser(command: .none, environment: [:])
        )
        self.output.remark("Renewing the grant at \(provider.issuer.url); sessions are kept in \(shelf.uri)")
        var options = SignInOptions(authorizedOrigins: origins)
        options.label = self.account
        options.clientType = clientType
        if let subject { options.identity = .caller { _ in subject } }
        let session = try await self.adopt(imported, signIn, options)
        try await KeptToken.forgetAll()
        if !self.output.json { choice?.announce() }
        let format = JSONMember(name: "format", value: .string(imported.format.rawValue))
        self.output.report(session, in: shelf, title: "Taken over from \(self.name).", [format])
        Console.note("tessera: \(self.remains(of: session))")
    }

    /// The session; where it does not come to one, a refresh token that was replaced meanwhile is kept beside the file.
    private func adopt(_ imported: ImportedGrant, _ signIn: SignIn, _ options: SignInOptions) async throws
        -> OAuthSession
    {
        do {
            return try await signIn.adopt(imported, options: options)
        } catch let interrupted as AdoptionInterruptedError {
            let place = try await self.keep(interrupted.grant, of: signIn.provider.client)
            Console.note(
                """
                tessera: The provider has replaced the refresh token: what \(self.name) holds is of no more use. The new \
                one is in \(place): import that instead.
                """
            )
            throw self.explained(interrupted.cause)
        } catch {
            throw self.explained(error)
        }
    }

    /// The grant as a file that can be imported in the place of the first; where that is.
    private func keep(_ grant: ExistingGrant, of client: OAuthClient) async throws -> String {
        var file = AuthorizedUserFile(
            .authorizedUser,
            clientID: client.clientID,
            clientSecret: client.clientSecret,
            refreshToken: grant.refreshToken,
            scopes: grant.scopes
        )
        file.tokenURI = grant.tokenEndpoint
        let (place, bytes) = (self.file == "-" ? "tessera-import.json" : self.file + ".renewed", file.encoded())
        try await FileBytes.blocking { _ = try PrivateFile.write(bytes, to: place.absolutePath) }
        return place
    }

    /// Where the grant does not reach as far as its owner's name, that has to come from the command line.
    private func explained(_ error: any Error) -> any Error {
        switch error {
        case let error as InvalidRequestError where error.name == "token_endpoint":
            CommandError(
                "anotherProvider",
                "\(self.name): \(error.reason)",
                "Name the provider that gave the grant, if you trust it; nothing was sent."
            )
        case let error as BearerChallengeError: Self.unidentified(error.description)
        case let error as ProtocolViolationError where [.userInfoSubject, .missingMetadata].contains(error.rule):
            Self.unidentified(error.description)
        default: error
        }
    }

    private static func unidentified(_ reason: String) -> CommandError {
        CommandError(
            "identityUnknown",
            "With this grant the provider does not say who it is (\(reason))",
            "Add --subject ID, with the person's identifier there, or any other name that stays the same.",
            status: .refused
        )
    }

    /// What the file is worth from now on.
    private func remains(of session: OAuthSession) -> String {
        session.record.history.refreshTokenReplacedAt == nil
            ? "\(self.name) still opens the same account: remove it, unless another program uses it."
            : "The provider has replaced the refresh token: what \(self.name) holds is of no more use."
    }

    private func read() async throws -> ImportedGrant {
        let bytes =
            self.file == "-"
            ? try await FileBytes.standardInput(option: "FILE", limit: Self.maximumLength)
            : try await FileBytes.readCredential(self.file, option: "FILE", limit: Self.maximumLength)
        if self.file != "-", FileBytes.isOpenToOthers(self.file) {
            Console.note("tessera: Other users of this machine can read \(self.name): chmod 600 it, or remove it.")
        }
        do {
            return try ImportedGrant(parsing: bytes)
        } catch {
            throw MigrationError(error.code, detail: error.detail.map { "\(self.name): \($0)" } ?? self.name)
        }
    }

    /// Who gave the grant: whom the command line names, else Google where the file is Google's.
    private func provider(of imported: ImportedGrant) async throws -> (Provider, clientType: String?) {
        guard self.provider.namesProvider || self.provider.namesClient else {
            return (try imported.googleProvider(), nil)
        }
        guard self.provider.namesProvider || imported.isGoogles else {
            throw CommandError.usage(
                "\(self.name) does not say that Google gave the grant",
                "Say who did: --google or --issuer URL."
            )
        }
        if self.provider.namesClient { return try await self.provider.provider() }
        let client: OAuthClient
        if let own = imported.client {
            client = own
        } else if let kept = try await self.provider.registration(on: try self.store.open()) {
            client = kept.registration.client
        } else {
            throw MigrationError(.clientMissing, detail: self.name)
        }
        return try await self.provider.provider(known: client)
    }
}

extension ImportedGrant {
    /// Whether a provider may say whose the grant is: its scopes are not known, or one of them is about the person.
    fileprivate var mayTellWho: Bool {
        let personal: Set<Scope> = [
            .openID, .email, .profile, "https://www.googleapis.com/auth/userinfo.email",
            "https://www.googleapis.com/auth/userinfo.profile",
        ]
        return self.grant.scopes.isEmpty || self.grant.scopes.contains { personal.contains($0) }
    }
}

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

    @Argument(help: ArgumentHelp("The other tool's file. - reads standard input.", valueName: "file"))
    var file: String

    @OptionGroup var provider: ProviderOptions

    @Option(
        help: ArgumentHelp("A name for this account, for --account of the other commands.", valueName: "name")
    )
    var account: String?

    @Option(
        help: ArgumentHelp(
            "The user's identifier, if the scopes do not allow the provider to tell it.",
            valueName: "id"
        )
    )
    var subject: String?

    @Option(
        help: ArgumentHelp(
            "An additional origin that fetch may call, such as https://api.example.com. It is saved.",
            valueName: "origin"
        )
    )
    var allowOrigin: [String] = []

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    /// The size limit, larger than the files of all supported tools.
    private static let maximumLength = 1 << 22

    func validate() throws {
        if self.account?.isEmpty == true { throw ValidationError("--account cannot be empty.") }
        if self.subject?.isEmpty == true { throw ValidationError("--subject cannot be empty.") }
    }

    private var name: String { self.file == "-" ? "standard input" : self.file }

    func run() async throws {
        let imported = try await self.read()
        // Checked before the refresh token is used, since the provider may rotate it.
        if self.subject == nil, !imported.mayTellWho { throw Self.unidentified("its scopes do not identify the user") }
        let origins = try self.allowOrigin.map { try OriginPattern($0) }
        let (provider, clientType) = try await self.provider(of: imported)
        let (shelf, choice) = try await self.store.openForSignIn()
        let signIn = SignIn(
            provider,
            transport: PlatformDefaults.transport(permitting: provider.insecure),
            store: shelf.store,
            userAgent: SystemBrowser(command: .none, environment: [:])
        )
        self.output.remark("Refreshing the session at \(provider.issuer.url). Sessions are stored in \(shelf.uri)")
        var options = SignInOptions(authorizedOrigins: origins)
        options.label = self.account
        options.clientType = clientType
        if let subject { options.identity = .caller { _ in subject } }
        let session = try await self.adopt(imported, signIn, options)
        try await KeptToken.forgetAll()
        if !self.output.json { choice?.announce() }
        let format = JSONMember(name: "format", value: .string(imported.format.rawValue))
        self.output.report(session, in: shelf, title: "Imported from \(self.name).", [format])
        Console.note("tessera: \(self.remains(of: session))")
    }

    /// Returns the session.
    ///
    /// If the import fails after the refresh token was rotated, saves the new one next to the file.
    private func adopt(_ imported: ImportedGrant, _ signIn: SignIn, _ options: SignInOptions) async throws
        -> OAuthSession
    {
        do {
            return try await signIn.adopt(imported, options: options)
        } catch let interrupted as AdoptionInterruptedError {
            let place = try await self.keep(interrupted.grant, of: signIn.provider.client)
            Console.note(
                """
                tessera: The provider replaced the refresh token, so the one in \(self.name) no longer works. The new \
                one is in \(place): import that instead.
                """
            )
            throw self.explained(interrupted.cause)
        } catch {
            throw self.explained(error)
        }
    }

    /// Writes the refreshed credentials as a file that can be imported instead of the first, and returns its path.
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

    /// Returns the subject of the command line, for credentials that do not identify the user.
    private func explained(_ error: any Error) -> any Error {
        switch error {
        case let error as InvalidRequestError where error.name == "token_endpoint":
            CommandError(
                "anotherProvider",
                "\(self.name): \(error.reason)",
                "Name the provider that issued the credentials, if you trust it. Nothing was sent."
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
            "The provider does not identify the user of these credentials (\(reason))",
            "Add --subject ID, with the user's identifier at the provider or any other stable name.",
            status: .refused
        )
    }

    /// Returns what the file can be used for after the import.
    private func remains(of session: OAuthSession) -> String {
        session.record.history.refreshTokenReplacedAt == nil
            ? "\(self.name) still gives access to the same account. Remove it, unless another program uses it."
            : "The provider replaced the refresh token, so the one in \(self.name) no longer works."
    }

    private func read() async throws -> ImportedGrant {
        let bytes =
            self.file == "-"
            ? try await FileBytes.standardInput(option: "FILE", limit: Self.maximumLength)
            : try await FileBytes.readCredential(self.file, option: "FILE", limit: Self.maximumLength)
        if self.file != "-", FileBytes.isOpenToOthers(self.file) {
            Console.note(
                "tessera: Other users of this machine can read \(self.name). Run chmod 600 on it, or remove it."
            )
        }
        do {
            return try ImportedGrant(parsing: bytes)
        } catch {
            throw MigrationError(error.code, detail: error.detail.map { "\(self.name): \($0)" } ?? self.name)
        }
    }

    /// Returns the provider of the command line, or Google for a file of Google's.
    private func provider(of imported: ImportedGrant) async throws -> (Provider, clientType: String?) {
        guard self.provider.namesProvider || self.provider.namesClient else {
            return (try imported.googleProvider(), nil)
        }
        guard self.provider.namesProvider || imported.isGoogles else {
            throw CommandError.usage(
                "\(self.name) does not name Google as its provider",
                "Name the provider: --google or --issuer URL."
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
    /// Whether the provider can identify the user: the scopes are unknown, or one of them is about the user.
    fileprivate var mayTellWho: Bool {
        let personal: Set<Scope> = [
            .openID, .email, .profile, "https://www.googleapis.com/auth/userinfo.email",
            "https://www.googleapis.com/auth/userinfo.profile",
        ]
        return self.grant.scopes.isEmpty || self.grant.scopes.contains { personal.contains($0) }
    }
}

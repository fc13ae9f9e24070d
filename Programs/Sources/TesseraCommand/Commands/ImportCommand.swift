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
            default credentials; a token.json from google-auth; a binary keyed archive from AppAuth, GTMAppAuth or \
            GoogleSignIn; or a string from GTMOAuth2. The file is not changed. Its refresh token is used once to find out \
            which account it belongs to.

            The file does not determine where its refresh token is sent. Unless the file is Google's, specify the provider \
            with --issuer. If the file does not specify the client, specify the one that the other tool used.

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
        help: ArgumentHelp("A name for this account, to use with --account in other commands.", valueName: "name")
    )
    var account: String?

    @Option(
        help: ArgumentHelp(
            "The user's identifier, if the scopes do not let the provider report it.",
            valueName: "id"
        )
    )
    var subject: String?

    @Option(
        help: ArgumentHelp(
            "An additional origin that fetch may call, such as https://api.example.com. The origin is saved.",
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
        // Check this before the refresh token is used, since the provider may rotate it.
        if self.subject == nil, !imported.canIdentifyUser {
            throw Self.unidentified("its scopes do not identify the user")
        }
        let origins = try self.allowOrigin.map { try OriginPattern($0) }
        let (provider, clientType) = try await self.provider(of: imported)
        let (catalog, choice) = try await self.store.openForSignIn()
        let signIn = SignIn(
            provider,
            transport: PlatformDefaults.transport(insecure: provider.insecure),
            store: catalog.store,
            userAgent: SystemBrowser(command: .none, environment: [:])
        )
        self.output.remark("Refreshing the session at \(provider.issuer.url). Sessions are stored in \(catalog.uri)")
        var options = SignInOptions(authorizedOrigins: origins)
        options.label = self.account
        options.clientType = clientType
        if let subject { options.identity = .caller { _ in subject } }
        let session = try await self.adopt(imported, signIn, options)
        try await CachedToken.forgetAll()
        if !self.output.json { choice?.announce() }
        let format = JSONMember(name: "format", value: .string(imported.format.rawValue))
        self.output.report(session, in: catalog, title: "Imported from \(self.name).", [format])
        Console.note("tessera: \(self.fileStatus(after: session))")
    }

    /// Signs in with the imported credentials and returns the session.
    ///
    /// If the import fails after the provider rotated the refresh token, saves the new token next to the file.
    private func adopt(_ imported: ImportedCredentials, _ signIn: SignIn, _ options: SignInOptions) async throws
        -> OAuthSession
    {
        do {
            return try await signIn.adopt(imported, options: options)
        } catch let interrupted as AdoptionInterruptedError {
            let location = try await self.save(interrupted.credentials, of: signIn.provider.client)
            Console.note(
                """
                tessera: The provider replaced the refresh token, so the one in \(self.name) no longer works. The new \
                one is in \(location): import that file instead.
                """
            )
            throw self.explained(interrupted.cause)
        } catch {
            throw self.explained(error)
        }
    }

    /// Writes the refreshed credentials to a new file that can be imported instead of the original, and returns its
    /// path.
    ///
    /// If this is not possible next to the original, writes it to the user's directory.
    private func save(_ credentials: ExistingCredentials, of client: OAuthClient) async throws -> String {
        var file = AuthorizedUserFile(
            .authorizedUser,
            clientID: client.clientID,
            clientSecret: client.clientSecret,
            refreshToken: credentials.refreshToken,
            scopes: credentials.scopes
        )
        file.tokenURI = credentials.tokenEndpoint
        let (location, bytes) = (self.file == "-" ? "tessera-import.json" : self.file + ".renewed", file.encoded())
        return try await FileBytes.blocking {
            do {
                return try Self.write(bytes, to: location)
            } catch {
                guard let directory = UserDirectories.data else { throw error }
                try PrivateFile.makeDirectory(directory)
                return try Self.write(bytes, to: directory + "/tessera-import.json")
            }
        }
    }

    /// Writes a new file, with a number if there are files from earlier imports, and returns its path.
    private static func write(_ bytes: [UInt8], to path: String) throws -> String {
        var location = path
        var number = 1
        while try !PrivateFile.write(bytes, to: location.absolutePath, replaces: false) {
            number += 1
            location = "\(path).\(number)"
        }
        return location
    }

    /// Returns the error with advice on which option to add.
    private func explained(_ error: any Error) -> any Error {
        switch error {
        case let error as InvalidRequestError where error.name == "token_endpoint":
            CommandError(
                "anotherProvider",
                "\(self.name): \(error.reason)",
                "If you trust the provider that issued the credentials, specify it. Nothing was sent."
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
            "The provider did not identify the user for these credentials (\(reason))",
            "Add --subject ID, with the user's identifier at the provider or any other stable name.",
            status: .refused
        )
    }

    /// Returns a sentence about whether the imported file can still be used.
    private func fileStatus(after session: OAuthSession) -> String {
        session.record.history.refreshTokenReplacedAt == nil
            ? "\(self.name) still gives access to the same account. Remove it, unless another program uses it."
            : "The provider replaced the refresh token, so the one in \(self.name) no longer works."
    }

    private func read() async throws -> ImportedCredentials {
        let bytes =
            self.file == "-"
            ? try await FileBytes.standardInput(option: "FILE", limit: Self.maximumLength)
            : try await FileBytes.readCredential(self.file, option: "FILE", limit: Self.maximumLength)
        if self.file != "-", FileBytes.isOpenToOthers(self.file) {
            Console.note(
                "tessera: Other users on this machine can read \(self.name). Run chmod 600 on it, or remove it."
            )
        }
        do {
            return try ImportedCredentials(parsing: bytes)
        } catch {
            throw MigrationError(error.code, detail: error.detail.map { "\(self.name): \($0)" } ?? self.name)
        }
    }

    /// Returns the provider from the command line, or Google if the file is one of Google's.
    private func provider(of imported: ImportedCredentials) async throws -> (Provider, clientType: String?) {
        guard self.provider.namesProvider || self.provider.namesClient else {
            return (try imported.googleProvider(), nil)
        }
        guard self.provider.namesProvider || imported.isIssuedByGoogle else {
            throw CommandError.usage(
                "\(self.name) does not specify Google as its provider",
                "Specify the provider: --google or --issuer URL."
            )
        }
        if self.provider.namesClient { return try await self.provider.provider() }
        let client: OAuthClient
        if let importedClient = imported.client {
            client = importedClient
        } else if let stored = try await self.provider.registration(on: try self.store.open()) {
            client = stored.registration.client
        } else {
            throw MigrationError(.clientMissing, detail: self.name)
        }
        return try await self.provider.provider(known: client)
    }
}

extension ImportedCredentials {
    /// Whether the provider can identify the user, because the scopes are unknown or include one for the user's
    /// identity.
    fileprivate var canIdentifyUser: Bool {
        let personal: Set<Scope> = [
            .openID, .email, .profile, "https://www.googleapis.com/auth/userinfo.email",
            "https://www.googleapis.com/auth/userinfo.profile",
        ]
        return self.credentials.scopes.isEmpty || self.credentials.scopes.contains { personal.contains($0) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraStores

/// `tessera register`.
struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Register a client with a provider",
        discussion: """
            The registration is saved in the session store, and 'tessera login --issuer URL' uses it from then on. With \
            --delete, removes it from both the provider and the store.

            Examples:
              tessera register --issuer https://id.example
              tessera register --issuer https://id.example --redirect-uri http://127.0.0.1:8080/
              tessera register --issuer https://id.example --initial-access-token-file token
              tessera register --issuer https://id.example --delete
            """
    )

    @OptionGroup var registration: RegistrationOptions

    @Flag(help: "Register again. The provider retains the old registration.")
    var replace = false

    @Flag(help: "Delete the registration at the provider and from the store.")
    var delete = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard self.delete else { return }
        if self.replace { throw ValidationError("--delete and --replace cannot be used together.") }
        if let option = self.registration.firstGiven {
            throw ValidationError("--delete and \(option) cannot be used together.")
        }
    }

    func run() async throws {
        let present = try self.store.open()
        let issuer = try IssuerText.read(
            self.registration.issuer,
            option: "--issuer",
            insecure: self.registration.insecure
        )
        if self.delete { return try await self.delete(issuer.url, present) }
        let known = try await self.known(issuer.url, present)
        guard known == nil || self.replace else {
            throw CommandError.usage(
                "A client is already registered with this provider: \(known ?? "")",
                "Sign in with it, delete it with --delete, or register another one with --replace."
            )
        }
        // Check the store first, so that no client is registered that cannot be saved.
        let (catalog, choice) = try await self.store.openForSignIn()
        try await catalog.store.probe()
        let runtime = OAuthRuntime.real(insecure: self.registration.insecure)
        let document = try await ProviderDocument.find(issuer, insecure: self.registration.insecure, runtime: runtime)
        let registration = try await RegisteredClient.register(
            try self.registration.metadata(at: document.metadata),
            at: document.metadata,
            initialAccessToken: try await self.registration.initialAccessToken(),
            requiresSecretExpiry: !self.registration.acceptMissingExpiry,
            runtime: runtime
        )
        guard !StoredRegistration.isReserved(registration.clientID) else {
            // A session for this client could replace the registration in the store, and no command would list it.
            throw ProtocolViolationError(
                .registration,
                expected: "a client_id other than the name that registrations are stored under",
                actual: registration.clientID,
                section: "RFC 7591, section 3.2.1"
            )
        }
        let provider = Provider(
            issuer: issuer,
            metadata: document.metadata,
            client: registration.client,
            insecure: self.registration.insecure
        )
        try await catalog.save(StoredRegistration(registration, at: provider))
        if !self.output.json { choice?.announce() }
        let report = RegistrationReport(registration, issuer: issuer.url, store: catalog.uri.description)
        self.output.result(.object(report.members), "Registered.\n\n\(report.text)")
    }

    /// Returns the identifier of the registered client, or nil if no client is registered.
    ///
    /// With `--replace`, an unreadable registration is ignored.
    private func known(_ issuer: String, _ catalog: SessionCatalog) async throws -> String? {
        do {
            return try await catalog.registration(at: issuer)?.registration.clientID
        } catch  where self.replace {
            return nil
        }
    }

    private func delete(_ issuer: String, _ catalog: SessionCatalog) async throws {
        guard let stored = try await catalog.registration(at: issuer) else {
            throw CommandError.usage(
                "No client is registered for \(issuer)",
                "Nothing was changed."
            )
        }
        let registration = stored.registration
        let isManaged = registration.registrationClientURI != nil
        if isManaged {
            let insecure = stored.provider.insecure.union(self.registration.insecure)
            guard let metadata = stored.provider.metadata else { return }
            let client = RegisteredClient(
                stored.provider.client,
                metadata: metadata,
                runtime: .real(insecure: insecure)
            )
            try await client.send(RegistrationDeletion(registration))
        }
        try await catalog.forgetRegistration(at: issuer)
        let clientID = registration.clientID
        self.output.result(
            [
                "issuer": .string(issuer), "clientID": .string(registration.clientID), "removed": true,
                "deleted": .bool(isManaged),
            ],
            isManaged
                ? "Deleted at the provider and removed from the store: \(clientID)"
                : "Removed from the store; the provider does not support deletion: \(clientID)"
        )
    }
}

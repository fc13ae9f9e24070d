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
            The registration is saved in the session store and used by 'tessera login --issuer URL' from then on. With \
            --delete, removes it at the provider and from the store.

            Examples:
              tessera register --issuer https://id.example
              tessera register --issuer https://id.example --redirect-uri http://127.0.0.1:8080/
              tessera register --issuer https://id.example --initial-access-token-file token
              tessera register --issuer https://id.example --delete
            """
    )

    @OptionGroup var registration: RegistrationOptions

    @Flag(help: "Register again. The old registration stays at the provider.")
    var replace = false

    @Flag(help: "Delete the registration at the provider and from the store.")
    var delete = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard self.delete else { return }
        if self.replace { throw ValidationError("--delete and --replace exclude each other.") }
        if let option = self.registration.firstGiven {
            throw ValidationError("--delete and \(option) exclude each other.")
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
        // Checked first: a registration that cannot be saved is not made.
        let (shelf, choice) = try await self.store.openForSignIn()
        try await shelf.store.probe()
        let runtime = OAuthRuntime.real(permitting: self.registration.insecure)
        let document = try await ProviderDocument.find(issuer, insecure: self.registration.insecure, runtime: runtime)
        let registration = try await RegisteredClient.register(
            try self.registration.metadata(at: document.metadata),
            at: document.metadata,
            initialAccessToken: try await self.registration.initialAccessToken(),
            requiresSecretExpiry: !self.registration.acceptMissingExpiry,
            runtime: runtime
        )
        guard !KeptRegistration.isReserved(registration.clientID) else {
            // A session of this client could take the registration's place in the store, and no command would list it.
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
        try await shelf.keep(KeptRegistration(registration, at: provider))
        if !self.output.json { choice?.announce() }
        let report = RegistrationReport(registration, issuer: issuer.url, store: shelf.uri.description)
        self.output.result(.object(report.members), "Registered.\n\n\(report.text)")
    }

    /// Returns the identifier of the registered client.
    ///
    /// An unreadable registration can be replaced.
    private func known(_ issuer: String, _ shelf: SessionShelf) async throws -> String? {
        do {
            return try await shelf.registration(at: issuer)?.registration.clientID
        } catch  where self.replace {
            return nil
        }
    }

    private func delete(_ issuer: String, _ shelf: SessionShelf) async throws {
        guard let kept = try await shelf.registration(at: issuer) else {
            throw CommandError.usage(
                "No client is registered for \(issuer)",
                "Nothing was changed."
            )
        }
        let registration = kept.registration
        let isManaged = registration.registrationClientURI != nil
        if isManaged {
            let insecure = kept.provider.insecure.union(self.registration.insecure)
            guard let metadata = kept.provider.metadata else { return }
            let client = RegisteredClient(
                kept.provider.client,
                metadata: metadata,
                runtime: .real(permitting: insecure)
            )
            try await client.send(RegistrationDeletion(registration))
        }
        try await shelf.forgetRegistration(at: issuer)
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraGoogle
internal import TesseraJOSE

/// The provider to sign in to and the client to use.
struct ProviderOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The provider's issuer URL.", valueName: "url"))
    var issuer: String?

    @Flag(help: "Sign in with Google.")
    var google = false

    @Option(
        help: ArgumentHelp("Google's client_secret.json for a desktop (installed) or web client.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var client: String?

    @Option(help: ArgumentHelp("The client identifier, instead of --client.", valueName: "id"))
    var clientID: String?

    @Option(
        help: ArgumentHelp("A file with the client secret, for --client-id.", valueName: "file"),
        completion: .file()
    )
    var clientSecretFile: String?

    @Flag(help: "Allow plain http for a provider on a loopback address.")
    var allowLoopbackHTTP = false

    func validate() throws {
        if self.google, self.issuer != nil { throw ValidationError("--google and --issuer cannot be used together.") }
        if self.client != nil, self.clientID != nil {
            throw ValidationError("--client and --client-id cannot be used together.")
        }
        if self.clientSecretFile != nil, self.clientID == nil {
            throw ValidationError("--client-secret-file requires --client-id.")
        }
    }

    /// Whether the client is missing.
    ///
    /// If only the issuer is specified, the client that 'tessera register' registered is used.
    var lacksClient: Bool { self.client == nil && self.clientID == nil && self.issuer == nil }

    /// Throws if the provider of a client is missing.
    func validateForSignIn() throws {
        guard self.google || self.issuer != nil || self.client != nil || self.lacksClient else {
            throw ValidationError("Specify the provider: --google or --issuer URL.")
        }
    }

    var insecure: Insecure { self.allowLoopbackHTTP ? .loopbackHTTP : [] }

    /// Returns the client that was registered with the issuer, or nil if the command line specifies another client.
    func registration(on catalog: SessionCatalog) async throws -> StoredRegistration? {
        guard self.client == nil, self.clientID == nil, let issuer = self.issuer else { return nil }
        if !Self.isGoogle(issuer) {
            _ = try IssuerText.read(issuer, option: "--issuer", insecure: self.insecure)
        }
        guard let stored = try await catalog.registration(at: issuer) else {
            throw CommandError.usage(
                "No client is registered for \(issuer)",
                "Specify one with --client-id ID or --client FILE, or register one with 'tessera register --issuer URL'."
            )
        }
        return stored
    }

    /// Whether the command line specifies the provider.
    var namesProvider: Bool { self.google || self.issuer != nil || self.client != nil }

    /// Whether the command line specifies the client.
    var namesClient: Bool { self.client != nil || self.clientID != nil }

    /// Returns the provider, and the client type if the client file specifies it.
    ///
    /// If the command line does not specify a client, `known` is used.
    func provider(known: OAuthClient? = nil) async throws -> (Provider, clientType: String?) {
        if let path = self.client {
            let bytes = try await FileBytes.readCredential(path, option: "--client", limit: 1 << 16)
            let file: GoogleClientFile
            do { file = try GoogleClientFile(parsing: bytes) } catch {
                throw CommandError.usage("--client \(path)", error)
            }
            return (try self.provider(of: file), file.kind.rawValue)
        }
        var client = self.clientID.map { OAuthClient(clientID: $0) } ?? known ?? OAuthClient(clientID: "")
        if let path = self.clientSecretFile {
            client.clientSecret = try await FileBytes.readSecret(path, "client secret", option: "--client-secret-file")
        }
        guard let issuer = self.issuer else { return (try .google(client: client), nil) }
        return (try self.provider(issuer, client: client), nil)
    }

    /// Returns the provider that the file's `auth_uri` identifies, unless the command line specifies another issuer.
    private func provider(of file: GoogleClientFile) throws -> Provider {
        let named: Provider
        do { named = try Provider.google(file, insecure: self.insecure) } catch is ProtocolViolationError {
            let isOnLoopback = (try? Provider.google(file, insecure: .loopbackHTTP)) != nil
            throw CommandError.usage(
                "--client: auth_uri in the file is not an https URL",
                isOnLoopback
                    ? "Add --allow-loopback-http if the provider is on this machine."
                    : "Download the file from the provider again."
            )
        } catch let error as InvalidRequestError {
            throw CommandError.usage("--client", error)
        }
        if self.google, !Self.isGoogle(named.issuer.url) {
            throw CommandError.usage(
                "The client file is not Google's: it belongs to \(named.issuer.url)",
                "Remove --google, or use Google's file."
            )
        }
        guard let issuer = self.issuer, issuer != named.issuer.url else { return named }
        return try self.provider(issuer, client: named.client)
    }

    private func provider(_ issuer: String, client: OAuthClient) throws -> Provider {
        if Self.isGoogle(issuer) { return try .google(client: client) }
        _ = try IssuerText.read(issuer, option: "--issuer", insecure: self.insecure)
        return try Provider.issuer(issuer, client: client, insecure: self.insecure)
    }

    private static func isGoogle(_ issuer: String) -> Bool { issuer == "https://accounts.google.com" }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import TesseraConsole
internal import TesseraDemoCommand
internal import TesseraLocalProvider

@main
enum ProviderProgram {
    static func main() { CommandLineProgram.main(ProviderCommand.self) }
}

/// `tessera-provider`: runs the local provider until the user interrupts it.
struct ProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: SiblingProgram.provider.name,
        abstract: SiblingProgram.provider.abstract,
        discussion: """
            Needs no account and no network. Prints its address and writes a client_secret.json that Google's own \
            libraries and Tessera can read. Stop it with Ctrl-C.

            Examples:
              tessera-provider
              tessera-provider --port 8400 --data ~/Documents --token-lifetime 60
              tessera-provider --tls --rotate-refresh-tokens --json
              tessera-provider --cloud --port 8400
            """,
        version: ReleaseVersion.summary,
        subcommands: [DemoCommand.self, WalkCommand.self]
    )

    @Option(help: "The port to listen on. 0 chooses a free port.")
    var port = 0

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Flag(help: "Allow a --host that other machines can reach, so they can sign in as any user.")
    var allowRemote = false

    @Option(
        help: "The directory with the Drive files. (default: built-in samples)",
        completion: .directory
    )
    var data: String?

    @Option(help: "The lifetime of an access token, in seconds.")
    var tokenLifetime = 3600

    @Flag(help: "Rotate refresh tokens. Using an old one ends the session.")
    var rotateRefreshTokens = false

    @Flag(help: "Serve https with a private certificate authority, and print its file.")
    var tls = false

    @Option(help: "The path of the client_secret.json to write.", completion: .file(extensions: ["json"]))
    var clientSecretFile: String?

    @Option(help: "The redirect URI of a web server. Creates a web client.")
    var webRedirectURI: String?

    @Flag(help: "Serve service accounts, metadata and token exchange.")
    var cloud = false

    @Option(
        help: "The path of the service account key to write with --cloud.",
        completion: .file(extensions: ["json"])
    )
    var serviceAccountKeyFile: String?

    @Flag(help: "Print one line with a JSON object instead of text.")
    var json = false

    func validate() throws {
        guard self.cloud || self.serviceAccountKeyFile == nil else {
            throw ValidationError("--service-account-key-file requires --cloud. Add --cloud.")
        }
        guard LocalProviderOptions.isLoopback(self.host) || self.allowRemote else {
            throw ValidationError(
                "Other machines can reach \(self.host) and sign in as any of this provider's users. "
                    + "Remove --host, or add --allow-remote."
            )
        }
    }

    func run() async throws {
        let clientSecretFile = self.clientSecretPath
        guard RunningProviderReport.mayReplace(clientSecretFile) else {
            throw ValidationError(
                "\(clientSecretFile) belongs to another provider. Choose another name with --client-secret-file."
            )
        }
        let keyFile = self.cloud ? self.keyFilePath(besides: clientSecretFile) : nil
        if let keyFile, !RunningProviderReport.mayReplaceKey(keyFile) {
            throw ValidationError(
                "\(keyFile) is not a key of a local provider. Choose another name with --service-account-key-file."
            )
        }
        let provider: LocalProvider
        do {
            provider = try await LocalProvider.start(self.options(besides: clientSecretFile))
        } catch let error as LocalProviderError {
            throw CommandError.usage(error.description, "")
        }
        do {
            try PrivateFile.write(Array(provider.clientSecretFile.utf8), to: clientSecretFile)
        } catch {
            await provider.stop()
            throw ValidationError(
                "\(clientSecretFile) cannot be written. Choose another name with --client-secret-file."
            )
        }
        if let keyFile {
            do {
                try PrivateFile.write(Array((provider.serviceAccountKeyFile() ?? "").utf8), to: keyFile)
            } catch {
                await provider.stop()
                throw ValidationError(
                    "\(keyFile) cannot be written. Choose another name with --service-account-key-file."
                )
            }
        }
        let report = RunningProviderReport(
            provider: provider,
            clientSecretFile: clientSecretFile,
            serviceAccountKeyFile: keyFile
        )
        Console.print(TerminalText(lines: self.json ? report.json : report.prose))
        if !LocalProviderOptions.isLoopback(self.host) { Console.note(TerminalText(lines: report.warning)) }
        while !Task.isCancelled { try? await ContinuousClock().sleep(for: .seconds(3_600)) }
        await provider.stop()
    }

    private func options(besides clientSecretFile: String) -> LocalProviderOptions {
        var options = LocalProviderOptions()
        options.port = self.port
        options.host = self.host
        options.dataDirectory = self.data
        options.accessTokenLifetime = self.tokenLifetime
        options.rotateRefreshTokens = self.rotateRefreshTokens
        options.tls = self.tls
        if self.cloud { options.cloud = LocalCloudOptions() }
        if let webRedirectURI { options.clients.insert(.web(redirectURIs: [webRedirectURI]), at: 0) }
        let directory = clientSecretFile.lastIndex(of: "/").map { String(clientSecretFile[...$0]) } ?? ""
        options.certificateAuthorityFile = directory + "tessera-provider-ca.pem"
        return options
    }

    /// The specified path, or a path next to the client secret.
    private func keyFilePath(besides clientSecretFile: String) -> String {
        self.serviceAccountKeyFile
            ?? (clientSecretFile.lastIndex(of: "/").map { String(clientSecretFile[...$0]) } ?? "")
            + "service_account.json"
    }

    /// The specified path, or a path next to the data directory or in the current directory.
    private var clientSecretPath: String {
        if let clientSecretFile { return clientSecretFile }
        guard let data else { return "client_secret.json" }
        let path = data.hasSuffix("/") ? String(data.dropLast()) : data
        return (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + "client_secret.json"
    }
}

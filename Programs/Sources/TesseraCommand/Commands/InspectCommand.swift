// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraUserAgents

/// `tessera inspect`.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Decode a JWT and verify its signature",
        discussion: """
            Reads the token from standard input. You can also pass it as an argument, but other users on this machine \
            can see it. Neither the token nor its signature is printed.

            The keys come from --jwks or from the issuer. Without either, they come from the provider of a stored \
            session with the token's issuer. The exit code is 4 if the token is not valid. Without --client-id, the \
            audience is not checked.

            Examples:
              tessera token --id-token | tessera inspect
              tessera inspect --issuer https://login.example.com --client-id my-program < token.txt
              tessera inspect --jwks keys.json --json < token.txt
            """
    )

    @Argument(help: ArgumentHelp("The token. Passing it on standard input is safer.", valueName: "token"))
    var token: String?

    @Option(help: ArgumentHelp("The expected issuer, whose keys verify the token.", valueName: "url"))
    var issuer: String?

    @Option(
        help: ArgumentHelp("A file with the keys (a JWK set), instead of the issuer's.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var jwks: String?

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp("The expected audience.", valueName: "id")
    )
    var clientID: String?

    @Flag(help: "Allow plain http for a provider on a loopback address.")
    var allowLoopbackHTTP = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if self.issuer != nil, self.jwks != nil {
            throw ValidationError("--issuer and --jwks cannot be used together.")
        }
    }

    func run() async throws {
        let token = try await self.text()
        let parts = try TokenParts(token)
        let verification = try await self.verification(of: token, parts)
        let report = TokenReport(parts, verification)
        guard case .broken(_, let error) = verification else {
            return self.output.result(.object(report.members), report.text)
        }
        self.output.result(.object(report.members + ErrorReport(error).members), report.text)
        throw self.output.failed(error)
    }

    /// Returns the token without surrounding whitespace and without the prefix of a header field.
    private func text() async throws -> String {
        var text: String
        if let token = self.token {
            Console.note(
                "tessera: Other users on this machine can see command-line arguments. Pass the token on standard input instead."
            )
            text = token.trimmingWhitespace
        } else {
            text = try await Self.input().trimmingWhitespace
        }
        for prefix in ["authorization:", "bearer ", "dpop "] where text.lowercased().hasPrefix(prefix) {
            text = String(text.dropFirst(prefix.count)).trimmingWhitespace
        }
        guard !text.isEmpty else {
            throw CommandError.usage("No token was provided", "Pass it on standard input: tessera inspect < token.txt")
        }
        return text
    }

    /// Returns the text on standard input, or the first line that the user pastes into a terminal.
    private static func input() async throws -> String {
        guard Console.canAsk else {
            let limit = CompactJWS.maximumLength * 2
            return String(decoding: try await FileBytes.standardInput(option: "the token", limit: limit), as: UTF8.self)
        }
        // The terminal's own line mode would truncate the token. Turn off its echo before the prompt appears.
        let lines = TerminalPaste.lines(endsAtControlD: true)
        Console.note("tessera: Paste the token, then press Enter. It is not shown.")
        for await line in lines where !line.isEmpty { return line }
        try Task.checkCancellation()
        return ""
    }

    private func verification(of token: String, _ parts: TokenParts) async throws -> TokenVerification {
        guard !parts.isEncrypted else { return .unchecked(.encrypted) }
        let jws: CompactJWS
        do { jws = try CompactJWS(parsing: token) } catch { return .broken(keys: nil, error) }
        guard let source = try await self.keySource(parts) else { return .unchecked(.noIssuer) }
        return try await source.verify(Secret(token), jws, parts, clientID: self.clientID)
    }

    private func keySource(_ parts: TokenParts) async throws -> TokenKeySource? {
        if let path = self.jwks {
            let bytes = try await FileBytes.read(path, option: "--jwks", limit: 1 << 20)
            do {
                return .file(path, try JWKSet(parsing: bytes))
            } catch {
                let found = error.actual.map { ", but found \($0)" } ?? ""
                throw CommandError.usage(
                    "--jwks \(path): expected \(error.expected)\(found)",
                    "Specify a file with a JWK set."
                )
            }
        }
        let insecure: Insecure = self.allowLoopbackHTTP ? .loopbackHTTP : []
        if let text = self.issuer {
            return .issuer(try IssuerText.read(text, option: "--issuer", insecure: insecure), insecure, aliases: [])
        }
        guard let issuer = parts.claims?["iss"]?.string else { return nil }
        // If the store cannot be read, no stored session matches. This is not an error here.
        let items = (try? await self.store.open().items()) ?? []
        let provider = items.compactMap { $0.readable?.provider }
            .first { $0.issuer.url == issuer || $0.issuerAliases.contains(issuer) }
        return provider.map { .issuer($0.issuer, $0.insecure.union(insecure), aliases: $0.issuerAliases) }
    }
}

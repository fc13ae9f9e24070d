// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A program that prints a subject token, which must be allowed in the environment.
///
/// The program runs without this process's secrets in its environment, and its output is limited.
///
/// - SeeAlso: [Executable-sourced credentials](https://google.aip.dev/auth/4117)
struct ExecutableSubjectToken: SubjectTokenSource {
    private let command: [String]
    private let timeout: Duration
    private let interactiveTimeout: Duration?
    private let outputFile: String?
    private let path: String?
    /// The email address of the service account that the external account acts as.
    private let impersonatedEmail: String?
    private let isInteractive: Bool

    private static let outputLimit = 1 << 20

    init(_ source: CredentialFile, impersonatedEmail: String?, isInteractive: Bool) throws(GoogleCredentialsError) {
        guard let executable = try source.child("executable") else { throw source.invalid("executable is missing") }
        guard let words = ShellWords.split(try executable.required("command")), !words.isEmpty else {
            throw source.invalid("credential_source.executable.command has an unbalanced quotation mark")
        }
        self.command = words
        self.timeout =
            try Self.duration(executable, "timeout_millis", 5_000...120_000, "5 and 120 seconds")
            ?? .seconds(30)
        self.interactiveTimeout = try Self.duration(
            executable,
            "interactive_timeout_millis",
            30_000...1_800_000,
            "30 seconds and 30 minutes"
        )
        self.outputFile = try executable.string("output_file")
        self.path = source.path
        self.impersonatedEmail = impersonatedEmail
        self.isInteractive = isInteractive
    }

    private static func duration(
        _ executable: CredentialFile,
        _ name: String,
        _ range: ClosedRange<Int>,
        _ text: String
    ) throws(GoogleCredentialsError) -> Duration? {
        guard let milliseconds = try executable.integer(name), milliseconds != 0 else { return nil }
        guard range.contains(milliseconds) else {
            throw executable.invalid("credential_source.executable.\(name) must be between \(text)")
        }
        return .milliseconds(milliseconds)
    }

    func subjectToken(_ context: SubjectTokenContext, _ client: CredentialClient) async throws -> Secret {
        try self.checkPermission(client.environment)
        let now = Int64(client.runtime.now().timeIntervalSince1970)
        if let token = try await self.cachedToken(now) { return token }
        let output = try await self.run(context, client, isInteractive: self.supportsInteraction(context))
        if output.isEmpty, let file = self.outputFile {
            let bytes = try await BlockingExecutor.reading.run {
                try CredentialFile.contents(of: file, limit: Self.outputLimit).bytes
            }
            return try ExecutableResponse(bytes, self.name).token(at: now)
        }
        return try ExecutableResponse(output, self.name).token(at: now)
    }

    private var name: String { UntrustedText.printable(self.command[0]) }

    private func checkPermission(_ environment: GoogleEnvironment) throws {
        guard environment["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"] == "1" else {
            throw GoogleCredentialsError(
                .subjectToken,
                at: self.path,
                reason: "the credentials run a program (\(self.name)), which is not allowed",
                advice: "If you trust the file, set GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1."
            )
        }
    }

    /// Whether the program may interact with the user, who has a terminal.
    ///
    /// Interaction needs a workforce pool, a time limit for it, and a file for the output.
    private func supportsInteraction(_ context: SubjectTokenContext) -> Bool {
        self.isInteractive && self.outputFile != nil && self.interactiveTimeout != nil
            && ExternalAccount.isWorkforcePool(context.audience)
    }

    /// Returns the token that an earlier run of the program wrote to the output file, unless it has expired.
    private func cachedToken(_ now: Int64) async throws -> Secret? {
        guard let file = self.outputFile else { return nil }
        let bytes = try? await BlockingExecutor.reading.run {
            try CredentialFile.contents(of: file, limit: Self.outputLimit).bytes
        }
        guard let bytes, (try? JSONValue(parsing: bytes)) != nil else { return nil }
        let response = try ExecutableResponse(bytes, file)
        return try response.cachedToken(at: now)
    }

    private func run(
        _ context: SubjectTokenContext,
        _ client: CredentialClient,
        isInteractive: Bool
    ) async throws -> [UInt8] {
        let variables = client.environment.variables
        guard let program = SpawnedProgram.find(self.command[0], path: variables["PATH"]) else {
            throw self.failed("the program \(self.name) was not found")
        }
        let limit = isInteractive ? self.interactiveTimeout ?? self.timeout : self.timeout
        let environment = self.environment(context, variables, isInteractive: isInteractive)
        let run: ProgramRun
        do {
            run = try ProgramRun.start(
                program,
                arguments: self.command,
                environment: environment.map { "\($0.key)=\($0.value)" },
                isInteractive: isInteractive
            )
        } catch {
            throw self.failed("the program \(self.name) cannot be started (\(error.detail))")
        }
        let result: (status: Int32?, output: [UInt8]?)
        do {
            result = try await Deadline.run(limit, clock: client.runtime.clock) {
                try await run.result(upTo: Self.outputLimit)
            }
        } catch let error as TransportError where error.code == .timedOut {
            throw self.failed("the program \(self.name) did not end within \(limit)")
        }
        guard let output = result.output else {
            throw self.failed("the program \(self.name) printed more than \(Self.outputLimit) bytes")
        }
        // If the status is unknown, the output tells whether the program was successful.
        if let status = result.status, status != 0 {
            throw self.failed("the program \(self.name) ended with status \(status)")
        }
        return output
    }

    private func failed(_ reason: String) -> GoogleCredentialsError {
        GoogleCredentialsError(
            .subjectToken,
            at: self.path,
            reason: reason,
            advice: "Run the program in a terminal and check its output."
        )
    }

    private func environment(
        _ context: SubjectTokenContext,
        _ variables: [String: String],
        isInteractive: Bool
    ) -> [String: String] {
        var environment = ProgramEnvironment.withoutSecrets(variables)
        environment["GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE"] = context.audience
        environment["GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE"] = context.subjectTokenType
        environment["GOOGLE_EXTERNAL_ACCOUNT_ID"] = self.impersonatedEmail ?? ""
        environment["GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE"] = isInteractive ? "1" : "0"
        environment["GOOGLE_EXTERNAL_ACCOUNT_REVOKE"] = "0"
        environment["GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL"] = self.impersonatedEmail
        environment["GOOGLE_EXTERNAL_ACCOUNT_OUTPUT_FILE"] = self.outputFile
        return environment
    }
}

/// The JSON object that a program prints.
private struct ExecutableResponse {
    private let fields: JSONFields
    private let name: String

    init(_ bytes: [UInt8], _ name: String) throws {
        self.name = name
        self.fields = try JSONFields(
            parsing: bytes,
            rule: .credentialResponse,
            section: "AIP-4117",
            subject: "the output of \(name)"
        )
    }

    /// Returns the token of a cached response, or nil if the program has to run again.
    func cachedToken(at now: Int64) throws -> Secret? {
        guard try self.isSuccessful(), let expiration = try self.fields.integer("expiration_time"), expiration > now
        else { return nil }
        return try self.subjectToken()
    }

    /// Returns the token.
    func token(at now: Int64) throws -> Secret {
        guard try self.isSuccessful() else {
            let code = try self.fields.requiredString("code")
            let message = try self.fields.requiredString("message")
            throw GoogleCredentialsError(
                .subjectToken,
                reason: "\(self.name) reported the error \(UntrustedText.printable(code)): "
                    + UntrustedText.printable(message)
            )
        }
        if let expiration = try self.fields.integer("expiration_time"), expiration < now {
            throw GoogleCredentialsError(.subjectToken, reason: "\(self.name) returned a token that has expired")
        }
        return try self.subjectToken()
    }

    private func isSuccessful() throws -> Bool {
        guard let version = try self.fields.integer("version") else { throw self.missing("version") }
        guard version <= 1 else {
            throw GoogleCredentialsError(
                .subjectToken,
                reason: "the output of \(self.name) has the unsupported version \(version)"
            )
        }
        guard let success = try self.fields.bool("success") else { throw self.missing("success") }
        return success
    }

    private func subjectToken() throws -> Secret {
        let type = try self.fields.requiredString("token_type")
        switch TokenTypeIdentifier(rawValue: type) {
        case .jwt, .idToken: return Secret(try self.fields.requiredString("id_token"))
        case .saml2: return Secret(try self.fields.requiredString("saml_response"))
        default:
            throw GoogleCredentialsError(
                .subjectToken,
                reason: "\(self.name) returned a token of the unsupported type \(UntrustedText.printable(type))"
            )
        }
    }

    private func missing(_ name: String) -> ProtocolViolationError {
        self.fields.violation("\(name) in the output of \(self.name)", "none")
    }
}

/// The words of a command line, split as a POSIX shell does, without expansions.
enum ShellWords {
    /// Returns the words, or nil if a quotation mark or an escape is not complete.
    static func split(_ text: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var characters = text[...]
        while let character = characters.popFirst() {
            switch (quote, character) {
            case ("'", "'"), ("\"", "\""): quote = nil
            case ("'", _): word?.append(character)
            case ("\"", "\\"):
                guard let next = characters.popFirst() else { return nil }
                if next != "\"", next != "\\" { word?.append("\\") }
                word?.append(next)
            case ("\"", _): word?.append(character)
            case (_, "'"), (_, "\""):
                quote = character
                word = word ?? ""
            case (_, "\\"):
                guard let next = characters.popFirst() else { return nil }
                word = (word ?? "") + String(next)
            case (_, _) where character.isWhitespace:
                if let done = word { words.append(done) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { return nil }
        return words + (word.map { [$0] } ?? [])
    }
}

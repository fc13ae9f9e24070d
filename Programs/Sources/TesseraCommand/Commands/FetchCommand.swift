// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import HTTPTypes
internal import Tessera
internal import TesseraAgent
internal import TesseraDefaults
internal import TesseraFetch
internal import TesseraGoogle
internal import TesseraGoogleAPI

/// `tessera fetch`.
struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Call an API with your access token",
        discussion: """
            The token is sent only to the origins of the session's provider (for Google: *.googleapis.com), to those \
            stored by 'tessera login --allow-origin', and to those in --allow-origin. Any other request is rejected \
            before a token is read. If the API rejects the token, it is refreshed once. Redirects are followed only within \
            the same origin. If the network or the server fails temporarily (429, 503 and similar), the request \
            is sent again if repeating it is safe.

            The body is written to standard output even if the response is an error. The exit code is then 6 for 401, \
            5 for 408, 429 and 5xx, and 3 otherwise.

            With --upload, sends a file. Google's resumable upload URLs (/upload/…, /resumable/upload/…) continue \
            automatically after an interruption, with the value of -d as the metadata. Other URLs receive the file as \
            the body of one request. Downloads with -o and --resume also continue automatically. After Ctrl-C, run the \
            same command with --resume to continue.

            Examples:
              tessera fetch https://www.googleapis.com/drive/v3/files
              tessera fetch -i -X DELETE https://www.googleapis.com/drive/v3/files/ID
              tessera fetch -H 'Content-Type: application/json' --data-binary @body.json https://www.googleapis.com/drive/v3/files
              tessera fetch --resume -o photo.jpg 'https://www.googleapis.com/drive/v3/files/ID?alt=media'
              tessera fetch --credentials key.json https://storage.googleapis.com/storage/v1/b/my-bucket
              tessera fetch --resume --upload film.mp4 -d '{"name":"film.mp4"}' https://www.googleapis.com/upload/drive/v3/files
            """
    )

    @Argument(help: ArgumentHelp("An https URL without a user name.", valueName: "url"))
    var url: String

    @OptionGroup var call: RequestOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write the body to this file.", valueName: "file"),
        completion: .file()
    )
    var file: String?

    @Option(
        help: ArgumentHelp("Upload this file, resumably if the server supports it.", valueName: "file"),
        completion: .file()
    )
    var upload: String?

    @Option(help: ArgumentHelp("The media type of the --upload file.", valueName: "media-type"))
    var uploadType = "application/octet-stream"

    @Flag(help: "Continue an interrupted upload, or an interrupted download with -o.")
    var resume = false

    @Flag(name: .shortAndLong, help: "Print the status line and the header fields before the body.")
    var include = false

    @Option(help: ArgumentHelp("An additional origin that can receive the token in this call.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Flag(help: "Allow plain http for a loopback address.")
    var allowLoopbackHTTP = false

    @Option(
        help: ArgumentHelp(
            "How long to retry a call after temporary failures. 0 disables retries.",
            valueName: "time"
        )
    )
    var retryDeadline: TimeSpan = .twoMinutes

    @OptionGroup var guards: CallGuardOptions
    @OptionGroup var credentials: CredentialOptions
    @OptionGroup var agent: AgentOptions
    @OptionGroup var account: AccountOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if self.agent.agent, self.credentials.isUsed {
            throw ValidationError("--agent cannot be used with --adc or --credentials.")
        }
        guard self.resume, self.upload == nil else { return }
        if (self.file ?? "-") == "-" { throw ValidationError("--resume requires -o FILE or --upload FILE.") }
        if self.include { throw ValidationError("--resume and --include cannot be used together for a download.") }
    }

    func run() async throws {
        let (request, body) = try await self.call.request(
            to: self.url,
            usualMethod: self.upload.map { _ in FileUpload.method(for: self.url) },
            bodyType: self.upload == nil ? "application/x-www-form-urlencoded" : "application/json; charset=UTF-8"
        )
        try self.guards.check(request, body)
        let origins = try self.allowOrigin.map { try OriginPattern($0) }
        let insecure: Insecure = self.allowLoopbackHTTP ? .loopbackHTTP : []
        if let choice = try self.credentials.choice(insteadOf: self.account) {
            return try await choice.withCredentials { credentials in
                let fetcher = self.fetcher(
                    WidenedSource(credentials, more: origins),
                    PlatformDefaults.transport(insecure: insecure.union(choice.insecure))
                )
                let account = choice.account(of: credentials)
                try await self.run(request.charging(credentials.quotaProject), body, fetcher, for: account) {
                    choice.explained($0, credentials.kind)
                }
            }
        }
        if let location = try self.agent.location(insteadOf: self.account.store) {
            let source = try await AgentTokenSource.connect(
                account: self.account.account,
                client: AgentClient(location)
            )
            let fetcher = self.fetcher(
                WidenedSource(source, more: origins),
                PlatformDefaults.transport(insecure: insecure)
            )
            return try await self.run(request, body, fetcher, for: source.account.account)
        }
        let (record, catalog) = try await self.account.record()
        try await catalog.withSession(of: record, insecure: insecure) { session in
            let fetcher = self.fetcher(WidenedSource(session, more: origins), session.transport)
            try await self.run(request, body, fetcher, for: session.account)
        }
    }

    private func fetcher(_ source: WidenedSource, _ transport: any HTTPTransport) -> AuthorizedFetcher {
        var settings = FetchSettings.google
        settings.backoff = Backoff(deadline: self.retryDeadline.duration)
        settings.interceptors = self.guards.interceptors
        return AuthorizedFetcher(source, transport: transport, settings: settings)
    }

    private func run(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        _ fetcher: AuthorizedFetcher,
        for account: Account,
        explained: (any Error) -> any Error = { $0 }
    ) async throws {
        self.output.remark("\(request.method.rawValue) \(self.url)")
        if self.resume, self.upload == nil, let file {
            let response = try await ResumableTransfer.download(to: file) { progress in
                try await fetcher.download(request, to: file, progress: progress)
            }
            self.output.remark("HTTP \(response.status.code) \(response.status.phrase)")
            if self.output.json { try await ResponseOutput.writeJSON(response, file: file) }
            return
        }
        let (response, body) = try await self.send(request, body, fetcher, for: account)
        // A response to HEAD has no body, regardless of its fields (RFC 9110, section 9.3.2).
        let display = TransferDisplay(String(self.file?.split(separator: "/").last ?? "response"))
        defer { display.end() }
        let responseBody = request.method == .head ? HTTPBody([]) : self.file == nil ? body : display.watching(body)
        self.output.remark("HTTP \(response.status.code) \(response.status.phrase)")
        let writer = ResponseOutput(file: self.file, includesHead: self.include)
        if self.output.json {
            try await writer.writeJSON(response, responseBody)
        } else {
            try await writer.write(response, responseBody)
        }
        if response.status.code >= 400 { throw self.output.failed(explained(ResponseFailure.error(response))) }
    }

    private func send(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        _ fetcher: AuthorizedFetcher,
        for account: Account
    ) async throws -> (HTTPResponse, HTTPBody) {
        guard let upload else { return try await fetcher.send(request, body: body) }
        let transfer = FileUpload(file: upload, contentType: self.uploadType, resumes: self.resume)
        return try await transfer.run(request, body, fetcher, for: account, to: self.url)
    }
}

extension HTTPRequest {
    /// Returns the request with the project whose quota is charged, unless it already names one.
    fileprivate func charging(_ project: String?) -> HTTPRequest {
        var request = self
        if let name = HTTPField.Name("x-goog-user-project"), let project, request.headerFields[name] == nil {
            request.headerFields[name] = project
        }
        return request
    }
}

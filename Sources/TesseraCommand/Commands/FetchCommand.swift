// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import ArgumentParser
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch

/// `tessera fetch`.
struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Calls an API with your token, as curl would.",
        discussion: """
            The token goes to the origins of the session's provider (for Google: *.googleapis.com), to those that
            'tessera login --allow-origin' kept, and to those of --allow-origin; anywhere else the call is refused before a
            token is read. A refused token is renewed once. Redirects are followed within the origin only. Where the network
            or the server fails for now (429, 503 and the like), the call is made again as long as twice does no harm.

            The body goes to standard output also when the answer is an error; the exit code is then 3, for 401 it is 6,
            for 408, 429 and 5xx it is 5.

            Examples:
              tessera fetch https://www.googleapis.com/drive/v3/files
              tessera fetch -i -X DELETE https://www.googleapis.com/drive/v3/files/ID
              tessera fetch -H 'Content-Type: application/json' --data-binary @body.json https://www.googleapis.com/drive/v3/files
              tessera fetch -o photo.jpg 'https://www.googleapis.com/drive/v3/files/ID?alt=media'
            """
    )

    @Argument(help: ArgumentHelp("The address: https, without a user name.", valueName: "url"))
    var url: String

    @OptionGroup var call: CallOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write the body into this file.", valueName: "file"),
        completion: .file()
    )
    var file: String?

    @Flag(name: .shortAndLong, help: "Print the status line and the header fields before the body.")
    var include = false

    @Option(help: ArgumentHelp("Send the token to this origin, too, for this call.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Flag(help: "Permit plain http to a loopback address.")
    var allowLoopbackHTTP = false

    @Option(
        help: ArgumentHelp(
            "How long a call that failed for now is made again; 0 for not at all.",
            valueName: "time"
        )
    )
    var retryDeadline: TimeSpan = .twoMinutes

    @OptionGroup var account: AccountOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (request, body) = try await self.call.request(to: self.url)
        let origins = try self.allowOrigin.map { try OriginPattern($0) }
        let (record, shelf) = try await self.account.record()
        let insecure: Insecure = self.allowLoopbackHTTP ? .loopbackHTTP : []
        try await shelf.withSession(of: record, permitting: insecure) { session in
            let source = WidenedSource(session: session, more: origins)
            let fetcher = AuthorizedFetcher(
                source,
                transport: session.transport,
                settings: FetchSettings(backoff: Backoff(deadline: self.retryDeadline.duration))
            )
            self.output.remark("\(request.method.rawValue) \(self.url)")
            let (response, body) = try await fetcher.send(request, body: body)
            // An answer to HEAD has no body, whatever its fields say (RFC 9110, section 9.3.2).
            let answer = request.method == .head ? HTTPBody([]) : body
            self.output.remark("HTTP \(response.status.code) \(response.status.phrase)")
            let writer = ResponseWriter(file: self.file, includesHead: self.include)
            if self.output.json {
                try await writer.writeJSON(response, answer)
            } else {
                try await writer.write(response, answer)
            }
            if response.status.code >= 400 { throw self.output.failed(ResponseFailure.error(response)) }
        }
    }
}

/// A session that may, for one call, go to more origins than it keeps.
private struct WidenedSource: AccessTokenSource {
    let session: OAuthSession
    let more: [OriginPattern]

    var authorizedOrigins: [OriginPattern] { self.session.authorizedOrigins + self.more }
    func accessToken() async throws -> AccessToken { try await self.session.accessToken() }
    func refused(_ token: AccessToken) async throws -> AccessToken { try await self.session.refused(token) }
}
#endif

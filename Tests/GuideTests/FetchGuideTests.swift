// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraAgent
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// The code in the guides of `TesseraFetch`.
@Suite("Guides for API calls")
struct FetchGuideTests {
    @Test("A call uses a refreshed token after the old one expires")
    func calls() async throws {
        let provider = try ScriptedProvider()
        let signIn = SignIn(
            try provider.provider,
            runtime: provider.runtime,
            store: InMemoryStore(),
            userAgent: provider.userAgent()
        )
        let session = try await signIn.signIn(scopes: [.openID])
        provider.clock.advance(by: .seconds(7_200))
        // guide: call
        let request = try HTTPRequest(url: "https://api.example/files?pageSize=10")
        let bytes = try await session.fetcher.data(for: request)
        // end
        #expect(String(decoding: bytes, as: UTF8.self) == "{}")
        #expect(provider.refreshes.count == 1)
    }

    @Test("Rejects a call to an unauthorized origin")
    func elsewhere() async throws {
        let provider = try ScriptedProvider()
        let signIn = SignIn(
            try provider.provider,
            runtime: provider.runtime,
            store: InMemoryStore(),
            userAgent: provider.userAgent()
        )
        // guide: origins
        let options = SignInOptions(authorizedOrigins: [try OriginPattern("https://reports.example")])
        let session = try await signIn.signIn(scopes: [.openID], options: options)
        // end
        let origins = session.authorizedOrigins.map(\.description)
        #expect(origins.contains("https://reports.example"))
        await #expect(throws: UnauthorizedOriginError.self) {
            try await session.fetcher.data(for: HTTPRequest(url: "https://elsewhere.example/"))
        }
    }

    /// Compiled only, because it needs a running agent.
    func agent(transport: any HTTPTransport) async throws -> AuthorizedFetcher {
        // guide: agent-token-source
        let source = try await AgentTokenSource.connect(account: "ada@example.com", scopes: [.email])
        let fetcher = AuthorizedFetcher(source, transport: transport)
        // end
        return fetcher
    }

    /// Compiled only, because it runs until it is canceled.
    func runAgent(accounts: any AgentAccounts) async throws {
        // guide: inherited-socket
        let agent =
            if let socket = try InheritedSocket.fromEnvironment() {
                try await TokenAgent.start(on: socket, accounts: accounts, audit: .standardError)
            } else {
                try await TokenAgent.start(accounts: accounts, audit: .standardError)
            }
        await agent.waitForEnd()
        await agent.stop()
        // end
    }

    /// Compiled only, because it needs a Google server.
    func uploads(
        session: OAuthSession,
        interrupted: UploadState?,
        save: @escaping @Sendable (UploadState) throws -> Void
    ) async throws -> [UInt8] {
        // guide: upload
        let upload = Upload(
            try HTTPRequest(method: .post, url: "https://www.googleapis.com/upload/drive/v3/files"),
            metadata: HTTPBody(#"{"name": "film.mp4"}"#),
            source: try await HTTPBody(file: "film.mp4"),
            contentType: "video/mp4",
            strategy: GoogleResumableUpload()
        )
        let fetcher = session.fetcher(settings: .google)
        let (_, response) = try await fetcher.upload(upload, from: interrupted) { state in try save(state) }
        // end
        return response
    }

    /// Compiled only, because it needs a file that takes time to download.
    func downloads(session: OAuthSession, request: HTTPRequest) async throws {
        let show: (TransferProgress.Step) -> Void = { _ in }
        // guide: download
        let progress = TransferProgress()
        async let response = session.fetcher.download(request, to: "film.mp4", progress: progress)
        for await step in progress { show(step) }
        _ = try await response
        // end
    }
}

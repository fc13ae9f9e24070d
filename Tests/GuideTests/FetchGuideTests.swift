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

/// What the guides of `TesseraFetch` quote.
@Suite("The guides to calls")
struct FetchGuideTests {
    @Test("A call has a fresh token, also after the old one ended")
    func calls() async throws {
        let world = try ScriptedProvider()
        let signIn = SignIn(
            try world.provider,
            runtime: world.runtime,
            store: InMemoryStore(),
            userAgent: world.userAgent()
        )
        let session = try await signIn.signIn(scopes: [.openID])
        world.clock.advance(by: .seconds(7_200))
        // guide: call
        let request = try HTTPRequest(url: "https://api.example/files?pageSize=10")
        let bytes = try await session.fetcher.data(for: request)
        // end
        #expect(String(decoding: bytes, as: UTF8.self) == "{}")
        #expect(world.refreshes.count == 1)
    }

    @Test("A call to a place that is not the session's is refused before a token is read")
    func elsewhere() async throws {
        let world = try ScriptedProvider()
        let signIn = SignIn(
            try world.provider,
            runtime: world.runtime,
            store: InMemoryStore(),
            userAgent: world.userAgent()
        )
        // guide: origins
        let options = SignInOptions(authorizedOrigins: [try OriginPattern("https://reports.example")])
        let session = try await signIn.signIn(scopes: [.openID], options: options)
        // end
        let places = session.authorizedOrigins.map(\.description)
        #expect(places.contains("https://reports.example"))
        await #expect(throws: UnauthorizedOriginError.self) {
            try await session.fetcher.data(for: HTTPRequest(url: "https://elsewhere.example/"))
        }
    }

    /// With the person's own agent: compiled alone.
    func agent(transport: any HTTPTransport) async throws -> AuthorizedFetcher {
        // guide: agent-token-source
        let source = try await AgentTokenSource.connect(account: "ada@example.com", scopes: [.email])
        let fetcher = AuthorizedFetcher(source, transport: transport)
        // end
        return fetcher
    }

    /// To a server of Google's: compiled alone.
    func uploads(
        session: OAuthSession,
        interrupted: UploadState?,
        keep: @escaping @Sendable (UploadState) throws -> Void
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
        let (_, answer) = try await fetcher.upload(upload, from: interrupted) { state in try keep(state) }
        // end
        return answer
    }

    /// To a file that goes on growing: compiled alone.
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

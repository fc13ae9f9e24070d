// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TestTraits
internal import TestTransport
internal import Testing

@Suite("Uploads with GTMSessionFetcher's names to the local provider", .timeLimit(.minutes(2)))
struct SessionFetcherUploadTests {
    /// The content of the uploaded file, 3 MiB and a few bytes.
    private static let content = Data((0..<(3 << 20) + 1_234).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })

    /// A user agent without a browser, which follows the provider's pages and delivers the redirect.
    private final class ConsentingAgent: OIDExternalUserAgent {
        private let walk = ConsentWalk(transport: TestTransport.make())

        func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool {
            guard let page = request.externalUserAgentRequestURL()?.absoluteString else { return false }
            let walk = self.walk
            Task {
                do {
                    let redirect = try #require(URL(string: try await walk.redirect(from: page)))
                    session.resumeExternalUserAgentFlow(with: redirect)
                } catch {
                    session.failExternalUserAgentFlowWithError(error)
                }
            }
            return true
        }

        func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) { completion() }
    }

    /// An app whose user has granted it access to its files.
    private struct App {
        let provider: LocalProvider
        let service = GTMSessionFetcherService()
        let file: URL

        func url(_ path: String) throws -> URL { try #require(URL(string: self.provider.baseURL + path)) }

        /// Returns a fetcher for a new upload in chunks of 1 MiB.
        func upload() throws -> GTMSessionUploadFetcher {
            var request = URLRequest(url: try self.url("/resumable/upload/drive/v3/files"))
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(#"{"name":"video.bin"}"#.utf8)
            let fetcher = GTMSessionUploadFetcher(
                request: request,
                uploadMIMEType: "application/octet-stream",
                chunkSize: 1 << 20,
                fetcherService: self.service
            )
            fetcher.uploadFileURL = self.file
            fetcher.minUploadRetryInterval = 0.01
            return fetcher
        }

        /// Verifies that the response describes the uploaded file, and that there is only one.
        func verify(_ response: Data) async throws {
            let metadata = try #require(try JSONSerialization.jsonObject(with: response) as? [String: Any])
            let id = try #require(metadata["id"] as? String)
            let media = self.service.fetcher(with: try self.url("/drive/v3/files/\(id)?alt=media"))
            #expect(try await media.beginFetch() == SessionFetcherUploadTests.content)
            let query = "/drive/v3/files?pageSize=1000&q=name%3D%27video.bin%27"
            let list = try await self.service.fetcher(with: try self.url(query)).beginFetch()
            let files = try #require(try JSONSerialization.jsonObject(with: list) as? [String: Any])["files"]
            #expect((files as? [Any])?.count == 1)
        }
    }

    /// Runs `body` with an app after its sign-in with AppAuth's names.
    private static func withApp(_ body: (App) async throws -> Void) async throws {
        let provider = try await LocalProvider.start()
        let file = FileManager.default.temporaryDirectory.appending(path: "video-\(UUID().uuidString)")
        try Self.content.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let runtime = OAuthRuntime(transport: TestTransport.make())
        let environment = AppAuthEnvironment(runtime: runtime, insecure: .loopbackHTTP)
        try await AppAuthEnvironment.$ofTask.withValue(environment) {
            let app = App(provider: provider, file: file)
            let session = AuthSession(authState: try await Self.signIn(at: provider))
            #expect(session.userEmail == "ada@example.com")
            app.service.authorizer = session
            app.service.allowLocalhostRequest = true
            try await body(app)
        }
        await provider.stop()
    }

    private static func signIn(at provider: LocalProvider) async throws -> OIDAuthState {
        let issuer = try #require(URL(string: provider.issuer))
        let request = OIDAuthorizationRequest(
            configuration: try await OIDAuthorizationService.discoverConfiguration(forIssuer: issuer),
            clientId: provider.clientID,
            clientSecret: provider.clientSecret,
            scopes: [OIDScopeOpenID, OIDScopeEmail, "https://www.googleapis.com/auth/drive.file"],
            redirectURL: try #require(URL(string: WalkingUserAgent.redirectURI)),
            responseType: OIDResponseTypeCode,
            additionalParameters: nil
        )
        var flow: (any OIDExternalUserAgentSession)?
        let agent = ConsentingAgent()
        let state: OIDAuthState = try await withCheckedThrowingContinuation { continuation in
            flow = OIDAuthState.authState(byPresenting: request, externalUserAgent: agent) { state, error in
                let failure = error ?? CocoaError(.coderValueNotFound)
                continuation.resume(with: state.map { .success($0) } ?? .failure(failure))
            }
        }
        withExtendedLifetime(flow) {}
        return state
    }

    @Test("Uploads a file in chunks, and downloads it", .original("GTMSessionFetcher GTMSessionUploadFetcher.h"))
    func upload() async throws {
        try await Self.withApp { app in
            let fetcher = try app.upload()
            try await app.verify(try await fetcher.beginFetch())
            #expect(fetcher.uploadLocationURL == nil)
        }
    }

    @Test(
        "Continues with the bytes that the server has not received after an interruption",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, isRetryEnabled"),
        arguments: [.broken(300_000), .partial(300_000), .lostResponse, .status(503)]
            as [LocalProviderOptions.DriveFault]
    )
    func interruption(_ fault: LocalProviderOptions.DriveFault) async throws {
        try await Self.withApp { app in
            app.provider.change { $0.driveFaults = [.none, .none, fault] }
            let fetcher = try app.upload()
            fetcher.isRetryEnabled = true
            try await app.verify(try await fetcher.beginFetch())
            #expect(app.provider.behavior.driveFaults.isEmpty)
        }
    }

    @Test(
        "Another fetcher resumes an upload that has failed",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, uploadLocationURL")
    )
    func resumption() async throws {
        try await Self.withApp { app in
            app.provider.change { $0.driveFaults = [.none, .none, .broken(300_000)] }
            let fetcher = try app.upload()
            await #expect(throws: (any Error).self) { try await fetcher.beginFetch() }
            let location: URL = try #require(fetcher.uploadLocationURL)
            let next = GTMSessionUploadFetcher(
                location: location,
                uploadMIMEType: "application/octet-stream",
                chunkSize: 1 << 20,
                fetcherService: app.service
            )
            next.uploadFileURL = app.file
            try await app.verify(try await next.beginFetch())
        }
    }

    @Test(
        "Refreshes a rejected token before an upload begins",
        .original("GTMAppAuth AuthSession.authorizeRequest")
    )
    func rejectedToken() async throws {
        try await Self.withApp { app in
            app.provider.expireAccessTokens()
            try await app.verify(try await app.upload().beginFetch())
            #expect(app.provider.refreshRequestCount == 1)
        }
    }
}
#endif

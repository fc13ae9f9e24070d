// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("GTMSessionFetcher")
struct GTMSessionFetcherTests {
    private static let call = ScriptedProvider.api + "/files?q=1"

    /// Returns an app's fetcher service and its authorizer.
    private static func service(_ program: AppAuthProgram) async throws -> (GTMSessionFetcherService, AuthSession) {
        let session = AuthSession(authState: try await program.state())
        session.authorizedOrigins = [try .init(ScriptedProvider.api)]
        let service = GTMSessionFetcherService()
        service.authorizer = session
        service.callbackQueue = DispatchQueue(label: "fetcher")
        return (service, session)
    }

    private static func program() throws -> AppAuthProgram {
        var options = ScriptedProvider.Options()
        options.requiresClientSecret = false
        return try AppAuthProgram(options)
    }

    @Test("Sends a fresh token and the service's User-Agent and returns the body")
    func fetches() async throws {
        let program = try Self.program()
        try await program.run {
            program.network.intercept("/files") { request in
                .json("{\"agent\":\"\(request.head.headerFields[.userAgent] ?? "")\"}")
            }
            let (service, session) = try await Self.service(program)
            service.userAgent = "Program/1"
            let fetcher = service.fetcher(withURLString: Self.call)
            let data = try await fetcher.beginFetch()
            #expect(String(decoding: data, as: UTF8.self) == #"{"agent":"Program/1"}"#)
            #expect(fetcher.statusCode == 200)
            #expect(!fetcher.isFetching)
            #expect((fetcher.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type") != nil)
            let sent = try #require(program.network.requests("/files").first)
            let token = try #require(session.authState.lastTokenResponse?.accessToken)
            #expect(sent.head.headerFields[.authorization] == "Bearer \(token)")
        }
    }

    @Test("Replaces a rejected token once and repeats the call")
    func refused() async throws {
        let program = try Self.program()
        try await program.run {
            let (service, _) = try await Self.service(program)
            _ = try await service.fetcher(with: program.url(ScriptedProvider.api + "/files")).beginFetch()
            program.network.invalidateAccessTokens()
            let before = program.network.refreshes.count
            let fetcher = service.fetcher(with: URLRequest(url: program.url(ScriptedProvider.api + "/files")))
            _ = try await fetcher.beginFetch()
            #expect(program.network.refreshes.count == before + 1)
        }
    }

    @Test("Throws an error with the response body for a status outside 200…299")
    func status() async throws {
        let program = try Self.program()
        try await program.run {
            program.network.intercept("/files") { _ in .json(#"{"error":"no"}"#, status: .forbidden) }
            let (service, _) = try await Self.service(program)
            let responses = Results<Data>()
            let error = await #expect(throws: (any Error).self) {
                try await service.fetcher(withURLString: Self.call).beginFetch()
            }
            let old = try #require(error) as NSError
            #expect(old.domain == kGTMSessionFetcherStatusDomain)
            #expect(old.code == 403)
            #expect(old.userInfo[kGTMSessionFetcherStatusDataKey] as? Data == Data(#"{"error":"no"}"#.utf8))
            service.fetcher(withURLString: Self.call).beginFetch { data, _ in responses.take(data, nil) }
            #expect(try await responses.next() == Data(#"{"error":"no"}"#.utf8))
        }
    }

    @Test("Rejects insecure, empty and unauthorized URLs before it reads a token")
    func refusedURLs() async throws {
        let program = try Self.program()
        try await program.run {
            let (service, _) = try await Self.service(program)
            let insecure = await failure {
                try await service.fetcher(withURLString: "http://api.example/").beginFetch()
            }
            #expect(insecure?.domain == kGTMSessionFetcherErrorDomain)
            #expect(insecure?.code == -5)
            let nowhere = await failure { try await service.fetcher(withURLString: "").beginFetch() }
            #expect(nowhere?.domain == kGTMSessionFetcherErrorDomain)
            #expect(nowhere?.code == -1)
            let foreign = await failure {
                try await service.fetcher(withURLString: "https://evil.example/").beginFetch()
            }
            #expect(foreign?.domain == AuthSession.Error.errorDomain)
            #expect(foreign?.code == 0)
            #expect(program.network.refreshes.isEmpty)
        }
    }

    @Test("Reports network errors in NSURLErrorDomain")
    func network() async throws {
        let program = try Self.program()
        try await program.run {
            let (service, _) = try await Self.service(program)
            program.network.intercept("/files") { _ in throw TransportError(.timedOut) }
            let late = await failure { try await service.fetcher(withURLString: Self.call).beginFetch() }
            #expect(late?.domain == NSURLErrorDomain)
            #expect(late?.code == NSURLErrorTimedOut)
        }
    }

    @Test("Adds DPoP proofs to calls and authorized requests")
    func boundTokens() async throws {
        let network = try ScriptedProvider(options: Self.bound)
        let session = try await Self.boundSession(network)
        session.authorizedOrigins = [try .init(ScriptedProvider.api)]
        let service = GTMSessionFetcherService()
        service.authorizer = session
        service.callbackQueue = DispatchQueue(label: "fetcher")
        _ = try await service.fetcher(withURLString: Self.call).beginFetch()
        network.invalidateAccessTokens()
        _ = try await service.fetcher(withURLString: Self.call).beginFetch()
        // The server requires a nonce, accepts the retry, rejects the invalidated token, and accepts its replacement.
        let schemes = network.requests("/files").map { $0.head.headerFields[.authorization]?.prefix(5) }
        #expect(schemes == ["DPoP ", "DPoP ", "DPoP ", "DPoP "])
        #expect(network.refreshes.count == 1)

        let request = URLRequest(url: try #require(URL(string: Self.call)))
        let authorized = try await session.authorized(request)
        #expect(authorized.value(forHTTPHeaderField: "Authorization")?.hasPrefix("DPoP ") == true)
        let proof = try CompactJWS(parsing: authorized.value(forHTTPHeaderField: "DPoP") ?? "")
        #expect(try proof.claims()["htu"]?.string == ScriptedProvider.api + "/files")
    }

    @Test("Omits DPoP-bound tokens from the state and its archive")
    func boundTokensAsText() async throws {
        let network = try ScriptedProvider(options: Self.bound)
        let session = try await Self.boundSession(network)
        #expect(session.canAuthorize)
        let state = session.authState
        #expect(!state.isAuthorized)
        #expect(state.lastTokenResponse == nil)
        #expect(state.refreshToken == nil)
        let error = state.authorizationError as NSError?
        #expect(error?.domain == OIDGeneralErrorDomain)
        #expect(error?.code == OIDErrorCode.tokenRefreshError.rawValue)
        let refusal = await failure { try await state.fresh([:]) }
        #expect(refusal?.domain == OIDGeneralErrorDomain)

        let archive = try NSKeyedArchiver.archivedData(withRootObject: session, requiringSecureCoding: true)
        let archived = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: AuthSession.self, from: archive))
        #expect(!archived.canAuthorize)
        #expect(archived.authState.lastTokenResponse == nil)
        #expect(network.refreshes.isEmpty)
    }

    private static let bound: ScriptedProvider.Options = {
        var options = ScriptedProvider.Options()
        options.supportsDPoP = true
        options.apiNonce = "n"
        return options
    }()

    /// Returns a session with a provider that binds its tokens to a key.
    private static func boundSession(_ network: ScriptedProvider) async throws -> AuthSession {
        var provider = try network.provider
        provider.dpop = .required
        let signIn = SignIn(
            provider,
            runtime: network.runtime,
            store: InMemoryStore(),
            userAgent: network.userAgent()
        )
        return AuthSession(try await signIn.signIn(scopes: [.openID]))
    }

    @Test("Sends the token to any server if all requests are authorized")
    func allRequests() async throws {
        let program = try Self.program()
        try await program.run {
            let (service, session) = try await Self.service(program)
            session.shouldAuthorizeAllRequests = true
            session.authorizedOrigins = []
            _ = try await service.fetcher(withURLString: Self.call).beginFetch()
            program.network.invalidateAccessTokens()
            _ = try await service.fetcher(withURLString: Self.call).beginFetch()
            #expect(program.network.requests("/files").count == 3)
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test("Calls a custom authorizer again after a 401 if it can refresh")
    func customAuthorizer() async throws {
        let program = try Self.program()
        try await program.run {
            program.network.intercept("/files") { request in
                request.head.headerFields[.authorization] == "Own 2" ? .json("{}") : .json("{}", status: .unauthorized)
            }
            let service = GTMSessionFetcherService()
            let authorizer = CustomAuthorizer()
            service.authorizer = authorizer
            let fetcher = service.fetcher(withURLString: Self.call)
            fetcher.bodyData = Data("body".utf8)
            _ = try await fetcher.beginFetch()
            #expect(fetcher.statusCode == 200)
            #expect(program.network.requests("/files").map(\.head.method) == [.post, .post])
        }
    }
}

/// An authorizer that numbers the requests that it authorizes.
private final class CustomAuthorizer: GTMSessionFetcherAuthorizer {
    private let count = Mutex(0)

    func authorizeRequest(
        _ request: NSMutableURLRequest?,
        completionHandler handler: @escaping ((any Error)?) -> Void
    ) {
        let count = self.count.withLock { count in
            count += 1
            return count
        }
        request?.setValue("Own \(count)", forHTTPHeaderField: "Authorization")
        handler(nil)
    }

    func stopAuthorization() {}
    func stopAuthorization(for request: URLRequest) {}
    func isAuthorizingRequest(_ request: URLRequest) -> Bool { false }
    func isAuthorizedRequest(_ request: URLRequest) -> Bool { false }
    var userEmail: String? { nil }
    func primeForRefresh() -> Bool { true }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import Foundation
internal import FoundationNetworking
#else
internal import Foundation
#endif
internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("AuthSession authorization")
struct AuthSessionAuthorizingTests {
    private static let call = ScriptedProvider.issuer + "/me"

    private static func request(_ url: String = Self.call) throws -> NSMutableURLRequest {
        NSMutableURLRequest(url: try #require(URL(string: url)))
    }

    @Test("Authorizes a request with a fresh token")
    func authorizes() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = AuthSession(authState: try await program.state())
            let request = try Self.request()
            let plain = URLRequest._unconditionallyBridgeFromObjectiveC(request)
            #expect(!session.isAuthorizedRequest(plain))
            #expect(!session.isAuthorizingRequest(plain))
            try await session.authorizeRequest(request)
            let token = try #require(session.authState.lastTokenResponse?.accessToken)
            #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer \(token)")
            #expect(session.isAuthorizedRequest(URLRequest._unconditionallyBridgeFromObjectiveC(request)))
            #expect(!session.isAuthorizingRequest(plain))
            #expect(try await session.authorized(plain).value(forHTTPHeaderField: "Authorization") == "Bearer \(token)")
        }
    }

    @Test("Refreshes a stale token once for all requests, with the delegate's parameters")
    func refreshes() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = AuthSession(authState: try await program.state())
            let delegate = Delegate(parameters: program.proof)
            session.delegate = delegate
            _ = try await session.authorized(URLRequest(url: program.url(Self.call)))
            #expect(delegate.callCount == 0)
            program.expire()
            let values = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await session.authorized(URLRequest(url: program.url(Self.call)))
                            .value(forHTTPHeaderField: "Authorization")
                    }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(values.count == 1)
            #expect(program.network.refreshes.count == 1)
            #expect(delegate.callCount > 0)
        }
    }

    @Test("Authorizes only encrypted requests to the provider and configured origins")
    func origins() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = AuthSession(authState: try await program.state())
            for url in ["https://evil.example/me", "http://id.example/me", "https://id.example@evil.example/"] {
                let request = try Self.request(url)
                let copy = URLRequest._unconditionallyBridgeFromObjectiveC(request)
                await #expect(throws: AuthSession.Error.cannotAuthorizeRequest(copy)) {
                    try await session.authorizeRequest(request)
                }
                #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
            }
            session.authorizedOrigins.append(try .init("https://evil.example"))
            try await session.authorizeRequest(try Self.request("https://evil.example/me"))
            session.shouldAuthorizeAllRequests = true
            try await session.authorizeRequest(try Self.request("http://anybody.example/"))
        }
    }

    @Test("Limits the tokens of a Google configuration to Google's APIs")
    func google() {
        let configuration = AuthSession.configurationForGoogle()
        #expect(configuration.authorizationEndpoint.absoluteString == "https://accounts.google.com/o/oauth2/v2/auth")
        #expect(configuration.tokenEndpoint.absoluteString == "https://oauth2.googleapis.com/token")
        #expect(configuration.issuer == nil)
        #expect(configuration.discoveryDocument == nil)
        #expect(configuration.registrationEndpoint == nil)
        #expect(configuration.endSessionEndpoint == nil)
        let state = OIDAuthState(authorizationResponse: .some(Self.response(configuration)))
        #expect(AuthSession(authState: state).authorizedOrigins.map(\.description) == ["https://*.googleapis.com"])
    }

    private static func response(_ configuration: OIDServiceConfiguration) -> OIDAuthorizationResponse {
        let request = OIDAuthorizationRequest(
            configuration: configuration,
            clientId: "client",
            scopes: ["openid"],
            redirectURL: URL(filePath: "/"),
            responseType: OIDResponseTypeCode,
            additionalParameters: nil
        )
        return OIDAuthorizationResponse(request: request, parameters: ["code": "c"])
    }

    @Test("Reports a rejected request as an NSError with GTMAppAuth's domain and code")
    func refusal() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = AuthSession(authState: try await program.state())
            let request = URLRequest(url: program.url("http://evil.example/?q=1"))
            let error = await #expect(throws: AuthSession.Error.self) { try await session.authorized(request) }
            let old = try #require(error) as NSError
            #expect(old.domain == "GTMAuthSessionErrorDomain")
            #expect(old.code == AuthSession.ErrorCode.cannotAuthorizeRequest.rawValue)
            #expect(old.code == 0)
            #expect(old.userInfo["request"] as? URLRequest == request)
            #expect(old.localizedDescription.contains("http://evil.example."))
        }
    }

    @Test("Shows only the origin of a rejected request in errors")
    func hiddenRequest() throws {
        var request = URLRequest(url: try #require(URL(string: "https://evil.example/path-secret?key=query-secret")))
        request.setValue("Bearer header-secret", forHTTPHeaderField: "Authorization")
        request.httpBody = Data("body-secret".utf8)
        for error in [AuthSession.Error.cannotAuthorizeRequest(request), .accessTokenEmptyForRequest(request)] {
            var dumped = ""
            dump([error], to: &dumped)
            for text in ["\(error)", String(reflecting: error), error.localizedDescription] {
                #expect(text.contains("https://evil.example"))
                #expect(!text.contains("secret"))
            }
            #expect(!dumped.contains("secret"))
        }
    }

    @Test(
        "Rejects an access token that a header field cannot contain",
        arguments: ["access\r\nX-Injected: 1", "access\n", "two words", "access\u{0}", "t\u{f6}ken", ""]
    )
    func impossibleToken(text: String) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let state = try await program.state()
            let request = try #require(state.lastTokenResponse?.request)
            let tokens = OIDTokenResponse(request: request, parameters: ["access_token": text])
            let session = AuthSession(authState: OIDAuthState(authorizationResponse: nil, tokenResponse: tokens))
            let call = URLRequest(url: program.url(Self.call))
            let error = await #expect(throws: AuthSession.Error.self) { try await session.authorized(call) }
            #expect(error == .accessTokenEmptyForRequest(call))
            await #expect(throws: SessionEndedError.self) { try await session.accessToken() }
        }
    }

    @Test("Throws for a missing request and for a state without tokens")
    func nothing() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = AuthSession(authState: try await program.state())
            await #expect(throws: AuthSession.Error.self) { try await session.authorizeRequest(nil) }
            let empty = AuthSession(authState: OIDAuthState(authorizationResponse: try await program.consent()))
            #expect(!empty.canAuthorize)
            #expect(session.canAuthorize)
            let failed = await failure {
                try await empty.authorized(URLRequest(url: program.url(Self.call)))
            }
            #expect(failed?.domain == OIDGeneralErrorDomain)
            #expect(failed?.code == OIDErrorCode.tokenRefreshError.rawValue)
        }
    }

    @Test("Throws if a refresh fails before the old token has expired")
    func failedRefresh() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = AuthSession(authState: try await program.state())
            program.network.clock.advance(by: .seconds(3_570))
            program.network.intercept("/token") { _ in throw TransportError(.timedOut) }
            let failed = await failure { try await session.authorized(URLRequest(url: program.url(Self.call))) }
            #expect(failed?.domain == OIDGeneralErrorDomain)
            #expect(failed?.code == OIDErrorCode.networkError.rawValue)
        }
    }

    @Test("Uses the delegate's error, or the original one if the delegate never responds")
    func errors() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = AuthSession(authState: try await program.state())
            let request = URLRequest(url: program.url("http://evil.example/"))
            for (delegate, domain) in [
                (Delegate(update: .replace), "replaced"), (Delegate(update: .save), AuthSession.Error.errorDomain),
                (Delegate(update: .forget), AuthSession.Error.errorDomain),
            ] {
                session.delegate = delegate
                #expect(await failure { try await session.authorized(request) }?.domain == domain)
            }
            session.delegate = SilentDelegate()
            #expect(await failure { try await session.authorized(request) }?.domain == AuthSession.Error.errorDomain)
        }
    }

    @Test("Cancels all authorizations or only those of an equal request")
    func stops() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = AuthSession(authState: try await program.state())
            program.expire()
            let gate = Gate()
            program.network.intercept("/token") { _ in
                await gate.wait()
                throw TransportError(.timedOut)
            }
            let (first, second) = (try Self.request(), try Self.request(Self.call + "?second"))
            let ends = Ends()
            session.authorizeRequest(first) { ends.add("first", $0) }
            session.authorizeRequest(second) { ends.add("second", $0) }
            let copies = [first, second].map { URLRequest._unconditionallyBridgeFromObjectiveC($0) }
            #expect(copies.allSatisfy { session.isAuthorizingRequest($0) })
            session.stopAuthorization(for: copies[1])
            #expect(await ends.next() == "second \(OIDErrorCode.programCanceledAuthorizationFlow.rawValue)")
            #expect(session.isAuthorizingRequest(copies[0]))
            #expect(!session.isAuthorizingRequest(copies[1]))
            session.stopAuthorization()
            #expect(await ends.next() == "first \(OIDErrorCode.programCanceledAuthorizationFlow.rawValue)")
            gate.open()
            #expect(copies.allSatisfy { !session.isAuthorizingRequest($0) })
        }
    }

    @Test("Cancels an authorization whose result is waiting for the callback queue", arguments: 0..<20)
    func stopsBeforeHandler(round: Int) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = AuthSession(authState: try await program.state())
            let service = GTMSessionFetcherService()
            let queue = DispatchQueue(label: "handlers")
            service.callbackQueue = queue
            session.fetcherService = service
            let request = try Self.request()
            let copy = URLRequest._unconditionallyBridgeFromObjectiveC(request)
            let ends = Ends()
            queue.suspend()
            session.authorizeRequest(request) { ends.add("stopped", $0) }
            // The token is fresh, so the result is available soon, but the suspended queue delays the handler.
            for _ in 0..<200 { await Task.yield() }
            #expect(session.isAuthorizingRequest(copy))
            session.stopAuthorization()
            #expect(!session.isAuthorizingRequest(copy))
            queue.resume()
            #expect(await ends.next() == "stopped \(OIDErrorCode.programCanceledAuthorizationFlow.rawValue)")
            #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
        }
    }

    @Test("Refreshes on the next call when primed, if there is a refresh token")
    func primes() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = AuthSession(authState: try await program.state())
            let delegate = Delegate(parameters: program.proof)
            session.delegate = delegate
            let before = try await session.accessToken()
            #expect(session.primeForRefresh())
            #expect(try await session.accessToken() != before)
            let refused = try await session.accessToken()
            let other = try await session.replacement(forRejected: refused)
            #expect(other != refused)
            #expect(program.network.refreshes.count == 2)
            #expect(try await session.replacement(forRejected: refused) == other)
            #expect(program.network.refreshes.count == 2)
            let empty = AuthSession(authState: OIDAuthState(authorizationResponse: try await program.consent()))
            #expect(!empty.primeForRefresh())
        }
    }
}

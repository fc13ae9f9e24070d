// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import Foundation
internal import FoundationNetworking
#else
internal import Foundation
#endif
internal import Tessera
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

@Suite("AuthSession authorization, as in GTMAppAuth", .scriptedNetwork)
struct AuthSessionAuthorizingOriginalTests {
    @Test("Can authorize with a token response", .original("GTMAppAuth AuthSessionTests.testCanAuthorize"))
    func canAuthorize() throws {
        #expect(try SessionSamples.session().canAuthorize)
    }

    @Test(
        "Cannot authorize with only a registration",
        .original("GTMAppAuth AuthSessionTests.testCannotAuthorize")
    )
    func onlyRegistration() throws {
        let state = OIDAuthState(registrationResponse: try Samples.registrationResponse())
        #expect(!AuthSession(authState: state).canAuthorize)
    }

    @Test("Cannot authorize after an authorization error", .original("GTMAppAuth AuthSession.canAuthorize"))
    func ended() throws {
        let session = try SessionSamples.session()
        session.authState.update(withAuthorizationError: NSError(domain: OIDOAuthTokenErrorDomain, code: -10))
        #expect(!session.canAuthorize)
    }

    @Test("Can authorize with only a refresh token", .original("GTMAppAuth AuthSession.canAuthorize"))
    func onlyRefreshToken() throws {
        #expect(try SessionSamples.session(["refresh_token": "refresh_token"]).canAuthorize)
    }

    @Test(
        "Has Google's endpoints, with the current token endpoint, in the configuration for Google",
        .original("GTMAppAuth AuthSessionTests.testConfigurationForGoogle")
    )
    func google() {
        let configuration = AuthSession.configurationForGoogle()
        #expect(configuration.authorizationEndpoint.absoluteString == "https://accounts.google.com/o/oauth2/v2/auth")
        #expect(configuration.tokenEndpoint.absoluteString == "https://oauth2.googleapis.com/token")
        #expect(configuration.issuer == nil)
        #expect(configuration.registrationEndpoint == nil)
        #expect(configuration.endSessionEndpoint == nil)
        #expect(configuration.discoveryDocument == nil)
    }

    @Test(
        "Adds the token to a request to an authorized origin",
        .original("GTMAppAuth AuthSessionTests.testAuthorizeSecureRequestWithCompletion"),
        arguments: [SessionSamples.call, "HTTPS://api.example/me", "https://API.example:443"]
    )
    func secureRequest(url: String) async throws {
        let session = try SessionSamples.session()
        let request = try SessionSamples.request(url)
        #expect(await session.failure(authorizing: request) == nil)
        #expect(request.authorization == "Bearer access_token")
    }

    @Test(
        "Adds no token to an https request to an origin that is not authorized",
        .original("GTMAppAuth AuthSessionTests.testAuthorizeSecureRequestWithCompletion"),
        arguments: ["https://fake.com", "https://api.example:8443/me", "https://api.example@fake.com/"]
    )
    func otherOrigin(url: String) async throws {
        let session = try SessionSamples.session()
        let request = try SessionSamples.request(url)
        let error = await session.failure(authorizing: request)
        #expect(error as? AuthSession.Error == .cannotAuthorizeRequest(request.plain))
        #expect(request.authorization == nil)
    }

    @Test(
        "Adds no token to an http request",
        .original("GTMAppAuth AuthSessionTests.testAuthorizeInsecureRequestWithCompletion")
    )
    func insecureRequest() async throws {
        let session = try SessionSamples.session()
        let request = try SessionSamples.request("http://fake.com")
        let error = await session.failure(authorizing: request)
        #expect(error as? AuthSession.Error == .cannotAuthorizeRequest(request.plain))
        #expect(request.authorization == nil)
    }

    @Test(
        "Adds no token to a file request, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func fileRequest() async throws {
        let session = try SessionSamples.session()
        let request = try SessionSamples.request("file:///tmp/x")
        let error = await session.failure(authorizing: request)
        #expect(error as? AuthSession.Error == .cannotAuthorizeRequest(request.plain))
        #expect(request.authorization == nil)
    }

    @Test(
        "Adds no token to a request without a URL, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)"),
        arguments: [false, true]
    )
    func requestWithoutURL(authorizesAll: Bool) async throws {
        let session = try SessionSamples.session()
        session.shouldAuthorizeAllRequests = authorizesAll
        let request = try SessionSamples.request()
        request.url = nil
        let error = try #require(await session.failure(authorizing: request) as? AuthSession.Error)
        #expect(error.errorCode == AuthSession.ErrorCode.cannotAuthorizeRequest.rawValue)
        #expect(request.authorization == nil)
    }

    @Test(
        "Adds the token to any request if the app has said so",
        .original("GTMAppAuth AuthSession.shouldAuthorizeAllRequests"),
        arguments: ["http://fake.com", "https://fake.com", "file:///tmp/x"]
    )
    func allRequests(url: String) async throws {
        let session = try SessionSamples.session()
        session.shouldAuthorizeAllRequests = true
        let request = try SessionSamples.request(url)
        #expect(await session.failure(authorizing: request) == nil)
        #expect(request.authorization == "Bearer access_token")
    }

    @Test(
        "Reports an empty access token",
        .original("GTMAppAuth GTMAuthSessionTests.testAuthorizeSecureRequestWithCompletionEmptyAccessTokenError")
    )
    func emptyToken() async throws {
        let session = try SessionSamples.session(["access_token": "", "expires_in": 3_600])
        let request = try SessionSamples.request()
        let error = await session.failure(authorizing: request)
        #expect(error as? AuthSession.Error == .accessTokenEmptyForRequest(request.plain))
        #expect(request.authorization == nil)
    }

    @Test(
        "Treats an access token that a header cannot contain as empty, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)"),
        arguments: ["two words", "access\r\nX-Injected: 1", "t\u{f6}ken"]
    )
    func unusableToken(token: String) async throws {
        let session = try SessionSamples.session(["access_token": token])
        let request = try SessionSamples.request()
        let error = await session.failure(authorizing: request)
        #expect(error as? AuthSession.Error == .accessTokenEmptyForRequest(request.plain))
        #expect(request.authorization == nil)
    }

    @Test(
        "Rejects the origin before it looks at the token, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)"),
        arguments: ["", "expired"]
    )
    func order(token: String) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let tokens: [String: Any] = ["access_token": token, "refresh_token": "refresh_token", "expires_in": 0]
            let session = try SessionSamples.session(tokens, receivedAt: program.network.clock.date)
            let request = try SessionSamples.request("http://fake.com")
            let error = await session.failure(authorizing: request)
            #expect(error as? AuthSession.Error == .cannotAuthorizeRequest(request.plain))
            #expect(program.network.requests.isEmpty)
        }
    }

    @Test(
        "Calls the handler of a missing request once, with an error",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)"),
        arguments: [false, true]
    )
    func missingRequest(authorizesAll: Bool) async throws {
        let session = try SessionSamples.session()
        session.shouldAuthorizeAllRequests = authorizesAll
        let service = GTMSessionFetcherService()
        let queue = MarkedQueue()
        service.callbackQueue = queue.queue
        session.fetcherService = service
        let results = HandlerResults()
        session.authorizeRequest(nil) { results.add($0) }
        #expect(await results.next() == "GTMAuthSessionErrorDomain 0")
        await queue.drain()
        #expect(results.count == 1)
    }

    @Test(
        "Replaces another Authorization header",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func replacedHeader() async throws {
        let session = try SessionSamples.session()
        let request = try SessionSamples.request()
        request.setValue("Basic x", forHTTPHeaderField: "Authorization")
        #expect(await session.failure(authorizing: request) == nil)
        let values = request.allHTTPHeaderFields?.filter { $0.key.lowercased() == "authorization" }.map(\.value)
        #expect(values == ["Bearer access_token"])
    }

    @Test(
        "Sends a bearer token whatever the token type of a constructed response is",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func tokenType() async throws {
        let tokens = ["access_token": "access_token", "token_type": "example_token_type"]
        let session = try SessionSamples.session(tokens)
        let request = try SessionSamples.request()
        #expect(await session.failure(authorizing: request) == nil)
        #expect(request.authorization == "Bearer access_token")
    }
}

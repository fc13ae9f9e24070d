// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("AuthSession refreshes, as in GTMAppAuth")
struct AuthSessionRefreshingOriginalTests {
    /// Returns a session whose access token expires after some seconds, or never.
    private static func session(
        _ program: AppAuthProgram,
        expiresIn: Int? = 0,
        refreshToken: String? = "refresh_token"
    ) throws -> AuthSession {
        var tokens: [String: Any] = ["access_token": "old"]
        tokens["expires_in"] = expiresIn
        tokens["refresh_token"] = refreshToken
        return try SessionSamples.session(tokens, receivedAt: program.network.clock.date)
    }

    private static let response = #"{"access_token":"new","token_type":"Bearer","expires_in":3600}"#

    @Test(
        "Reports AppAuth's error for an expired token without a refresh token",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func noRefreshToken() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = try Self.session(program, refreshToken: nil)
            let request = try SessionSamples.request()
            let error = await session.failure(authorizing: request) as NSError?
            #expect(error?.domain == OIDGeneralErrorDomain)
            #expect(error?.code == OIDErrorCode.tokenRefreshError.rawValue)
            #expect(error?.code == -11)
            #expect(request.authorization == nil)
        }
    }

    @Test(
        "Refreshes an expired token with one request",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func refreshes() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(Self.response) }
            let request = try SessionSamples.request()
            let session = try Self.session(program)
            #expect(await session.failure(authorizing: request) == nil)
            #expect(request.authorization == "Bearer new")
            let refreshes = program.network.refreshes
            #expect(refreshes.count == 1)
            #expect(refreshes.first?.head.method == .post)
            #expect(refreshes.first?.formValue("refresh_token") == "refresh_token")
        }
    }

    @Test(
        "Refreshes a token that expires within one minute",
        .original("AppAuth OIDAuthState.performAction(freshTokens:)"),
        arguments: [(59, "Bearer new"), (61, "Bearer old"), (nil, "Bearer old")] as [(Int?, String)]
    )
    func tolerance(_ seconds: Int?, _ header: String) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(Self.response) }
            let request = try SessionSamples.request()
            let session = try Self.session(program, expiresIn: seconds)
            #expect(await session.failure(authorizing: request) == nil)
            #expect(request.authorization == header)
            #expect(program.network.refreshes.count == (header == "Bearer new" ? 1 : 0))
        }
    }

    @Test(
        "Cannot authorize after the provider has rejected the refresh token",
        .original("GTMAppAuth AuthSession.canAuthorize")
    )
    func invalidGrant() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(#"{"error":"invalid_grant"}"#, status: .badRequest) }
            let session = try Self.session(program)
            let request = try SessionSamples.request()
            let error = await session.failure(authorizing: request) as NSError?
            #expect(error?.domain == OIDOAuthTokenErrorDomain)
            #expect(error?.code == -10)
            #expect(request.authorization == nil)
            #expect(!session.canAuthorize)
        }
    }

    @Test(
        "Can still authorize after the provider has rejected the client, unlike AppAuth",
        .original("GTMAppAuth AuthSession.canAuthorize")
    )
    func invalidClient() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(#"{"error":"invalid_client"}"#, status: .badRequest) }
            let session = try Self.session(program)
            let error = await session.failure(authorizing: try SessionSamples.request()) as NSError?
            #expect(error?.domain == OIDOAuthTokenErrorDomain)
            #expect(error?.code == -9)
            #expect(session.canAuthorize)
        }
    }

    @Test(
        "Reports a failed refresh even if there is an old access token, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func failedRefresh() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in throw TransportError(.cannotConnect) }
            let session = try Self.session(program)
            let request = try SessionSamples.request()
            let error = await session.failure(authorizing: request) as NSError?
            #expect(error?.domain == OIDGeneralErrorDomain)
            #expect(error?.code == -5)
            #expect(request.authorization == nil)
            #expect(session.canAuthorize)
        }
    }

    @Test(
        "Reports AppAuth's error if the first access token cannot be fetched",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func failedFirstRefresh() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in throw TransportError(.cannotConnect) }
            let session = try SessionSamples.session(["refresh_token": "refresh_token"])
            let request = try SessionSamples.request()
            let error = await session.failure(authorizing: request) as NSError?
            #expect(error?.domain == OIDGeneralErrorDomain)
            #expect(error?.code == OIDErrorCode.networkError.rawValue)
            #expect(request.authorization == nil)
        }
    }

    @Test(
        "Refreshes a response with a lifetime but without an access token, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func lifetimeWithoutToken() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(Self.response) }
            let now = program.network.clock.date
            let tokens: [String: Any] = ["expires_in": 3_600, "refresh_token": "refresh_token"]
            let session = try SessionSamples.session(tokens, receivedAt: now)
            let request = try SessionSamples.request()
            #expect(await session.failure(authorizing: request) == nil)
            #expect(request.authorization == "Bearer new")
            let other = try SessionSamples.session(["expires_in": 3_600], receivedAt: now)
            let error = await other.failure(authorizing: try SessionSamples.request()) as NSError?
            #expect(error?.domain == OIDGeneralErrorDomain)
            #expect(error?.code == OIDErrorCode.tokenRefreshError.rawValue)
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test(
        "Authorizes requests that arrive during a refresh with its token",
        .original("AppAuth OIDAuthState.performAction(freshTokens:)")
    )
    func pendingRefresh() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let gate = TesseraTesting.Gate()
            program.network.intercept("/token") { _ in
                await gate.pass()
                return .json(Self.response)
            }
            let session = try Self.session(program)
            let (first, second) = (try SessionSamples.request(), try SessionSamples.request())
            let results = HandlerResults()
            session.authorizeRequest(first) { results.add($0) }
            await gate.waitForArrival()
            session.authorizeRequest(second) { results.add($0) }
            gate.open()
            for _ in 0..<2 { #expect(await results.next() == "authorized") }
            #expect(first.authorization == "Bearer new")
            #expect(second.authorization == "Bearer new")
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test(
        "Shares one refresh between concurrent authorizations, 1,000 times",
        .original("AppAuth OIDAuthState.performAction(freshTokens:)")
    )
    func sharedRefresh() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let number = Mutex(0)
            program.network.intercept("/token") { _ in
                let number = number.withLock { number in
                    number += 1
                    return number
                }
                return .json(#"{"access_token":"new-\#(number)","token_type":"Bearer","expires_in":3600}"#)
            }
            let session = try Self.session(program)
            let service = GTMSessionFetcherService()
            service.callbackQueue = DispatchQueue(label: "handlers")
            session.fetcherService = service
            for round in 1...1_000 {
                #expect(session.primeForRefresh())
                let results = HandlerResults()
                let requests = try (0..<4).map { _ in try SessionSamples.request() }
                for request in requests { session.authorizeRequest(request) { results.add($0) } }
                for _ in requests { try #require(await results.next() == "authorized") }
                try #require(Set(requests.map(\.authorization)) == ["Bearer new-\(round)"])
                try #require(program.network.takeRequests().count == 1)
            }
            #expect(session.fetcherService === service)
        }
    }

    @Test(
        "Refreshes on the next use when primed with a refresh token, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSessionTests.testIsNotPrimeForRefresh")
    )
    func primes() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(Self.response) }
            let session = try Self.session(program, expiresIn: nil)
            #expect(session.primeForRefresh())
            let request = try SessionSamples.request()
            #expect(await session.failure(authorizing: request) == nil)
            #expect(request.authorization == "Bearer new")
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test(
        "Does not refresh when primed without a refresh token, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSessionTests.testIsPrimeForRefresh")
    )
    func cannotPrime() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let session = try Self.session(program, expiresIn: nil, refreshToken: nil)
            #expect(!session.primeForRefresh())
            let request = try SessionSamples.request()
            #expect(await session.failure(authorizing: request) == nil)
            #expect(request.authorization == "Bearer old")
        }
    }
}

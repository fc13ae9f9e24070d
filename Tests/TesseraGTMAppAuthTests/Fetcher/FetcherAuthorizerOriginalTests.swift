// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import HTTPTypes
internal import TestTraits
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Authorizers of a fetcher", .timeLimit(.minutes(1)))
struct FetcherAuthorizerOriginalTests {
    @Test(
        "Sends the token that the authorizer adds, at once or later",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testAuthorizerFetch"),
        arguments: [NumberingAuthorizer.Behavior.immediate, .later]
    )
    func adds(_ behavior: NumberingAuthorizer.Behavior) async throws {
        let network = FetcherNetwork(.text("a"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = NumberingAuthorizer(behavior)
            #expect(await fetcher.result().text == "a")
            #expect(network.requests.map(\.authorization) == ["Own 1"])
            #expect(fetcher.request?.value(forHTTPHeaderField: "Authorization") == "Own 1")
        }
    }

    @Test(
        "Sends nothing if the authorizer fails, and does not retry",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testAuthorizerFetch")
    )
    func fails() async throws {
        let network = FetcherNetwork(.text("a"))
        try await network.run {
            let fetcher = try network.fetcher()
            let authorizer = NumberingAuthorizer(.fails(NSError(domain: "d", code: 1)))
            fetcher.authorizer = authorizer
            fetcher.isRetryEnabled = true
            fetcher.retryBlock = { _, _, answer in answer(true) }
            let result = await fetcher.result()
            #expect(result.data == nil)
            #expect(result.error?.domain == "d")
            #expect(result.error?.code == 1)
            #expect(authorizer.count == 1)
            #expect(network.requests.isEmpty)
        }
    }

    @Test(
        "Keeps the authorization of a request, and does not ask the authorizer",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay")
    )
    func ownAuthorization() async throws {
        let program = try AppAuthProgram()
        let network = FetcherNetwork(.text(), .text())
        let session = AuthSession(authState: try await program.run { try await program.state() })
        try await network.run {
            let authorizer = NumberingAuthorizer()
            for authorizer in [authorizer, session] as [any GTMSessionFetcherAuthorizer] {
                let fetcher = try network.fetcher()
                fetcher.authorizer = authorizer
                fetcher.setRequestValue("Own", forHTTPHeaderField: "Authorization")
                #expect(await fetcher.result().error == nil)
            }
            #expect(network.requests.map(\.authorization) == ["Own", "Own"])
            #expect(authorizer.count == 0)
        }
    }

    @Test(
        "Replaces a rejected token once, at once",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testAuthorizerFetch"),
        arguments: [false, true]
    )
    func refreshes(_ isAccepted: Bool) async throws {
        let network = FetcherNetwork {
            isAccepted && $0.authorization == "Own 2" ? .text("a") : .text("", .unauthorized)
        }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = NumberingAuthorizer(canRefresh: true)
            let begin = network.clock.now
            let result = await fetcher.result()
            #expect(network.requests.map(\.authorization) == ["Own 1", "Own 2"])
            #expect(network.clock.now == begin)
            #expect(fetcher.retryCount == 1)
            #expect(result.error?.code == (isAccepted ? nil : 401))
            let count = result.error?.userInfo[kGTMSessionFetcherNumberOfRetriesDoneKey] as? Int
            #expect(count == (isAccepted ? nil : 1))
        }
    }

    @Test(
        "Replaces the rejected authorization of the request itself",
        .original("GTMSessionFetcher GTMSessionFetcher.m shouldRetryNowForStatus")
    )
    func refreshesOwnAuthorization() async throws {
        let network = FetcherNetwork { $0.authorization == "Own" ? .text("", .unauthorized) : .text("a") }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = NumberingAuthorizer(canRefresh: true)
            fetcher.setRequestValue("Own", forHTTPHeaderField: "Authorization")
            #expect(await fetcher.result().text == "a")
            #expect(network.requests.map(\.authorization) == ["Own", "Own 1"])
        }
    }

    @Test(
        "Reports a rejected token that the authorizer cannot replace",
        .original("GTMSessionFetcher GTMSessionFetcher.m shouldRetryNowForStatus")
    )
    func cannotRefresh() async throws {
        let network = FetcherNetwork { _ in .text("", .unauthorized) }
        try await network.run {
            for authorizer in [NumberingAuthorizer(), MinimalAuthorizer()] as [any GTMSessionFetcherAuthorizer] {
                let fetcher = try network.fetcher()
                fetcher.authorizer = authorizer
                fetcher.isRetryEnabled = true
                #expect(await fetcher.result().error?.code == 401)
                #expect(fetcher.retryCount == 0)
            }
            #expect(network.requests.count == 2)
        }
    }

    @Test(
        "Lets the app decide whether to send another token",
        .original("GTMSessionFetcher GTMSessionFetcher.h retryBlock")
    )
    func preventedRefresh() async throws {
        let (network, log) = (FetcherNetwork { _ in .text("", .unauthorized) }, FetcherLog())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = NumberingAuthorizer(canRefresh: true)
            fetcher.retryBlock = { suggestion, _, answer in
                log.add("\(suggestion)")
                answer(false)
            }
            #expect(await fetcher.result().error?.code == 401)
            #expect(log.entries == ["true"])
            #expect(network.requests.count == 1)
        }
    }

    @Test(
        "Accepts an authorizer without the optional requirements",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMFetcherAuthorizationProtocol")
    )
    func minimal() async throws {
        let network = FetcherNetwork(.text("a"))
        try await network.run {
            let (fetcher, authorizer) = (try network.fetcher(), MinimalAuthorizer())
            fetcher.authorizer = authorizer
            #expect(await fetcher.result().text == "a")
            #expect(network.requests.map(\.authorization) == ["Minimal"])
            #expect(authorizer.canAuthorize)
            #expect(!authorizer.shouldAuthorizeAllRequests)
            #expect(authorizer.fetcherService == nil)
            #expect(!authorizer.primeForRefresh())
        }
    }

    @Test(
        "Accepts an authorizer that calls its handler twice or never",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMFetcherAuthorizationProtocol"),
        arguments: [0, 2]
    )
    func handlerCalls(_ count: Int) async throws {
        let network = FetcherNetwork(.text("a"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = MinimalAuthorizer(handlerCalls: count)
            let result = await fetcher.result()
            #expect(result.text == (count == 0 ? nil : "a"))
            #expect(result.error?.code == (count == 0 ? NSURLErrorCancelled : nil))
        }
    }

    @Test(
        "Sends a request without an authorizer without authorization",
        .original("GTMSessionFetcher GTMSessionFetcher.h authorizer")
    )
    func none() async throws {
        let network = FetcherNetwork(.text("a"))
        await network.run {
            let service = network.service()
            service.authorizer = NumberingAuthorizer()
            let fetcher = service.fetcher(withURLString: FetcherNetwork.url)
            fetcher.authorizer = nil
            #expect(await fetcher.result().text == "a")
            #expect(network.requests.map(\.authorization) == [nil])
        }
    }

    @Test(
        "Sets and removes the service of its authorizer",
        .original("GTMSessionFetcher GTMSessionFetcherService.m setAuthorizer")
    )
    func authorizerService() {
        let (first, second) = (NumberingAuthorizer(), NumberingAuthorizer())
        let (service, other) = (GTMSessionFetcherService(), GTMSessionFetcherService())
        service.authorizer = first
        #expect(first.fetcherService === service)
        service.authorizer = second
        #expect(first.fetcherService == nil)
        #expect(second.fetcherService === service)
        service.authorizer = second
        #expect(second.fetcherService === service)
        other.authorizer = second
        service.authorizer = nil
        #expect(second.fetcherService === other)
    }

    /// Returns a service whose authorizer is the session of a signed-in user.
    private static func service(_ program: AppAuthProgram) async throws -> (GTMSessionFetcherService, AuthSession) {
        let session = AuthSession(authState: try await program.state())
        session.authorizedOrigins = [try .init(ScriptedProvider.api)]
        let service = GTMSessionFetcherService()
        service.authorizer = session
        service.callbackQueue = DispatchQueue(label: "service")
        return (service, session)
    }

    @Test(
        "Replaces the token of an AuthSession if a new one can help",
        .original("GTMAppAuth AuthSession.primeForRefresh"),
        arguments: [("invalid_token", 2), ("insufficient_scope", 1)]
    )
    func authSession(_ error: String, _ count: Int) async throws {
        var options = ScriptedProvider.Options()
        options.requiresClientSecret = false
        let program = try AppAuthProgram(options)
        try await program.run {
            program.network.intercept("/files") { _ in
                .text("", .unauthorized, [.wwwAuthenticate: "Bearer error=\"\(error)\""])
            }
            let (service, _) = try await Self.service(program)
            let fetcher = service.fetcher(withURLString: ScriptedProvider.api + "/files")
            #expect(await fetcher.result().error?.code == 401)
            let tokens = program.network.requests("/files").map(\.authorization)
            #expect(tokens.count == count)
            #expect(Set(tokens).count == count)
            #expect(fetcher.request?.value(forHTTPHeaderField: "Authorization") == tokens.last ?? nil)
        }
    }

    @Test(
        "Does not send the token of an AuthSession in a URL or to another origin",
        .original("GTMAppAuth AuthSession.authorizeRequest")
    )
    func refusedRequests() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let (service, _) = try await Self.service(program)
            program.network.intercept("/files") { _ in .text("a") }
            let count = program.network.requests.count
            let foreign = service.fetcher(withURLString: "https://other.example/files")
            #expect(await foreign.result().error?.domain == AuthSession.Error.errorDomain)
            let query = service.fetcher(withURLString: ScriptedProvider.api + "/files?access_token=a")
            #expect(await query.result().error?.code == GTMSessionFetcherError.taskCreationFailed.rawValue)
            #expect(program.network.requests.count == count)
        }
    }

    @Test(
        "Follows a redirect within the origin with the token of an AuthSession",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testRedirectFetch")
    )
    func authSessionRedirect() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let (service, session) = try await Self.service(program)
            program.network.intercept("/files") { _ in .redirect(to: "/other") }
            program.network.intercept("/other") { _ in .redirect(to: "https://foreign.example/page") }
            program.network.intercept("/page") { _ in .text("a") }
            let fetcher = service.fetcher(withURLString: ScriptedProvider.api + "/files")
            #expect(await fetcher.result().text == "a")
            let token = try #require(session.authState.lastTokenResponse?.accessToken)
            let sent = ["/files", "/other", "/page"].map { program.network.requests($0).map(\.authorization) }
            #expect(sent == [["Bearer \(token)"], ["Bearer \(token)"], [nil]])
            #expect(fetcher.request?.url?.absoluteString == "https://foreign.example/page")
            #expect(fetcher.request?.value(forHTTPHeaderField: "Authorization") == nil)
        }
    }
}

/// An authorizer with the required members only.
private final class MinimalAuthorizer: GTMSessionFetcherAuthorizer {
    private let handlerCalls: Int

    init(handlerCalls: Int = 1) { self.handlerCalls = handlerCalls }

    func authorizeRequest(
        _ request: NSMutableURLRequest?,
        completionHandler handler: @escaping ((any Error)?) -> Void
    ) {
        request?.setValue("Minimal", forHTTPHeaderField: "Authorization")
        for _ in 0..<self.handlerCalls { handler(nil) }
    }

    func stopAuthorization() {}
    func stopAuthorization(for request: URLRequest) {}
    func isAuthorizingRequest(_ request: URLRequest) -> Bool { false }
    func isAuthorizedRequest(_ request: URLRequest) -> Bool { false }
    var userEmail: String? { nil }
}

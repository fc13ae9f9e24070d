// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import Foundation
internal import FoundationNetworking
#else
internal import Foundation
#endif
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

@Suite("AuthSession handlers and stops, as in GTMAppAuth", .scriptedNetwork)
struct AuthSessionStoppingOriginalTests {
    /// A service that reports when a session looks up the queue for a result.
    private final class Service: GTMSessionFetcherServiceProtocol {
        let queue = MarkedQueue()
        private let lookups = AsyncStream.makeStream(of: Void.self)

        var callbackQueue: DispatchQueue! {
            self.lookups.continuation.yield()
            return self.queue.queue
        }

        func fetcher(with request: URLRequest) -> GTMSessionFetcher { GTMSessionFetcher(request: request) }

        func waitForLookup() async { for await _ in self.lookups.stream { return } }
    }

    /// Returns a session whose handlers are called on the service's queue.
    private static func session(_ service: any GTMSessionFetcherServiceProtocol) throws -> AuthSession {
        let session = try SessionSamples.session()
        session.fetcherService = service
        return session
    }

    @Test(
        "Is authorizing a request until its handler is called",
        .original("GTMAppAuth AuthSessionTests.testAuthorizeSecureRequestWithCompletion")
    )
    func authorizing() async throws {
        let service = Service()
        let session = try Self.session(service)
        let request = try SessionSamples.request()
        let copy = request.plain
        let results = HandlerResults()
        service.queue.queue.suspend()
        session.authorizeRequest(request) { error in
            results.add(error, of: session.isAuthorizingRequest(copy) ? "authorizing " : "")
        }
        let isAuthorizing = session.isAuthorizingRequest(copy)
        service.queue.queue.resume()
        #expect(isAuthorizing)
        #expect(await results.next() == "authorized")
        #expect(session.isAuthorizedRequest(request.plain))
    }

    @Test(
        "Calls the handler on the main queue without a fetcher service",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func mainQueue() async throws {
        let main = MarkedQueue(.main)
        let session = try SessionSamples.session()
        let request = try SessionSamples.request()
        let isOnMain = await withCheckedContinuation { continuation in
            session.authorizeRequest(request) { _ in continuation.resume(returning: main.isCurrent) }
        }
        #expect(isOnMain)
    }

    @Test(
        "Calls the handler on the fetcher service's queue",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func serviceQueue() async throws {
        let (service, queue) = (GTMSessionFetcherService(), MarkedQueue())
        service.callbackQueue = queue.queue
        let session = try Self.session(service)
        let request = try SessionSamples.request()
        let isOnQueue = await withCheckedContinuation { continuation in
            session.authorizeRequest(request) { _ in continuation.resume(returning: queue.isCurrent) }
        }
        #expect(isOnQueue)
        #expect(session.fetcherService === service)
    }

    @Test(
        "Calls the handler on the queue that the service has when the refresh ends",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func changedQueue() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let gate = TesseraTesting.Gate()
            program.network.intercept("/token") { _ in
                await gate.pass()
                return .json(#"{"access_token":"new","token_type":"Bearer"}"#)
            }
            let tokens: [String: Any] = ["access_token": "old", "expires_in": 0, "refresh_token": "refresh_token"]
            let session = try SessionSamples.session(tokens, receivedAt: program.network.clock.date)
            let (service, old, new) = (GTMSessionFetcherService(), MarkedQueue(), MarkedQueue())
            service.callbackQueue = old.queue
            session.fetcherService = service
            let results = HandlerResults()
            session.authorizeRequest(try SessionSamples.request()) { error in
                results.add(error, of: new.isCurrent ? "new " : old.isCurrent ? "old " : "")
            }
            await gate.waitForArrival()
            service.callbackQueue = new.queue
            gate.open()
            #expect(await results.next() == "new authorized")
            #expect(session.fetcherService === service)
        }
    }

    @Test(
        "Never calls the handler before the method returns",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func asynchronous() async throws {
        let service = Service()
        let session = try Self.session(service)
        let results = HandlerResults()
        for request in [try SessionSamples.request(), nil] {
            service.queue.queue.sync {
                session.authorizeRequest(request) { results.add($0) }
                results.add(nil, of: "returned ")
            }
            #expect(await results.next() == "returned authorized")
            #expect(await results.next() == (request == nil ? "GTMAuthSessionErrorDomain 0" : "authorized"))
        }
    }

    @Test(
        "Calls the handler even if the app releases the session meanwhile",
        .original("GTMAppAuth AuthSession.authorizeRequest(_:completionHandler:)")
    )
    func releasedSession() async throws {
        let results = HandlerResults()
        let request = try SessionSamples.request()
        do {
            let session = try SessionSamples.session()
            session.authorizeRequest(request) { results.add($0) }
        }
        #expect(await results.next() == "authorized")
        #expect(request.authorization == "Bearer access_token")
    }

    @Test(
        "Stops an authorization at once and reports this to its handler",
        .original("GTMAppAuth AuthSessionTests.testStopAuthorization")
    )
    func stops() async throws {
        let service = Service()
        let session = try Self.session(service)
        let request = try SessionSamples.request()
        let results = HandlerResults()
        service.queue.queue.suspend()
        session.authorizeRequest(request) { results.add($0) }
        session.stopAuthorization()
        let isAuthorizing = session.isAuthorizingRequest(request.plain)
        service.queue.queue.resume()
        #expect(!isAuthorizing)
        #expect(await results.next() == HandlerResults.stopped)
        await service.queue.drain()
        #expect(results.count == 1)
        #expect(request.authorization == nil)
    }

    @Test(
        "Authorizes a request if only another one is stopped",
        .original("GTMAppAuth AuthSessionTests.testStopAuthorizationForRequest")
    )
    func stopsOne() async throws {
        let service = Service()
        let session = try Self.session(service)
        let requests = [try SessionSamples.request(), try SessionSamples.request(SessionSamples.call + "/other")]
        let results = HandlerResults()
        service.queue.queue.suspend()
        for request in requests { session.authorizeRequest(request) { results.add($0) } }
        session.stopAuthorization(for: requests[0].plain)
        service.queue.queue.resume()
        #expect(Set([await results.next(), await results.next()]) == ["authorized", HandlerResults.stopped])
        #expect(requests.map(\.authorization) == [nil, "Bearer access_token"])
    }

    @Test(
        "Stops all authorizations of equal requests, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSession.stopAuthorization(for:)")
    )
    func stopsEqual() async throws {
        let service = Service()
        let session = try Self.session(service)
        let requests = [try SessionSamples.request(), try SessionSamples.request()]
        let results = HandlerResults()
        service.queue.queue.suspend()
        for request in requests { session.authorizeRequest(request) { results.add($0) } }
        session.stopAuthorization(for: requests[0].plain)
        service.queue.queue.resume()
        for _ in requests { #expect(await results.next() == HandlerResults.stopped) }
        #expect(requests.allSatisfy { $0.authorization == nil })
    }

    @Test(
        "Ignores a stop of a request that is not pending",
        .original("GTMAppAuth AuthSession.stopAuthorization(for:)")
    )
    func stopsUnknown() async throws {
        let service = Service()
        let session = try Self.session(service)
        let (request, other) = (
            try SessionSamples.request(), try SessionSamples.request(SessionSamples.call + "/other")
        )
        let results = HandlerResults()
        service.queue.queue.suspend()
        session.authorizeRequest(request) { results.add($0) }
        session.stopAuthorization(for: other.plain)
        let isAuthorizing = session.isAuthorizingRequest(request.plain)
        service.queue.queue.resume()
        #expect(isAuthorizing)
        #expect(await results.next() == "authorized")
    }

    @Test(
        "Stops an authorization whose result waits for the queue, unlike GTMAppAuth, 1,000 times",
        .original("GTMAppAuth AuthSession.stopAuthorization()")
    )
    func stopsWaitingResult() async throws {
        let session = try SessionSamples.session()
        for _ in 0..<1_000 {
            let service = Service()
            session.fetcherService = service
            let request = try SessionSamples.request()
            let results = HandlerResults()
            service.queue.queue.suspend()
            session.authorizeRequest(request) { results.add($0) }
            await service.waitForLookup()
            let isAuthorizing = session.isAuthorizingRequest(request.plain)
            session.stopAuthorization()
            let isStopped = !session.isAuthorizingRequest(request.plain)
            service.queue.queue.resume()
            try #require(isAuthorizing)
            try #require(isStopped)
            try #require(await results.next() == HandlerResults.stopped)
            await service.queue.drain()
            try #require(results.count == 1)
            try #require(request.authorization == nil)
        }
    }

    @Test(
        "Either authorizes or stops when both happen at the same time, 1,000 times",
        .original("GTMAppAuth AuthSession.stopAuthorization()")
    )
    func stopsConcurrently() async throws {
        let service = Service()
        let session = try Self.session(service)
        for round in 0..<1_000 {
            let request = try SessionSamples.request()
            let results = HandlerResults()
            session.authorizeRequest(request) { results.add($0) }
            let stop = Task {
                for _ in 0..<round % 10 { await Task.yield() }
                session.stopAuthorization()
            }
            let result = await results.next()
            await stop.value
            await service.queue.drain()
            try #require(results.count == 1)
            try #require(["authorized", HandlerResults.stopped].contains(result))
            try #require(request.authorization == (result == "authorized" ? "Bearer access_token" : nil))
            try #require(!session.isAuthorizingRequest(request.plain))
        }
    }

    @Test(
        "Regards a request with any nonempty Authorization header as authorized",
        .original("GTMAppAuth GTMAuthSessionTests.testIsAuthorizedRequest"),
        arguments: [(nil, false), ("", false), ("Basic x", true), ("Bearer x", true)] as [(String?, Bool)]
    )
    func isAuthorized(_ header: String?, _ isAuthorized: Bool) throws {
        let request = try SessionSamples.request()
        if let header { request.setValue(header, forHTTPHeaderField: "Authorization") }
        #expect(try SessionSamples.session().isAuthorizedRequest(request.plain) == isAuthorized)
    }

    @Test(
        "Is not authorizing a request that it has never received",
        .original("GTMAppAuth AuthSession.isAuthorizingRequest(_:)")
    )
    func isNotAuthorizing() throws {
        #expect(!(try SessionSamples.session().isAuthorizingRequest(SessionSamples.request().plain)))
    }
}

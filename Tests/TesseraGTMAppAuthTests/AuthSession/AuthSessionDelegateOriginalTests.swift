// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import Foundation
internal import FoundationNetworking
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("AuthSessionDelegate, as in GTMAppAuth", .scriptedNetwork)
struct AuthSessionDelegateOriginalTests {
    private typealias Completion = @Sendable ((any Error)?) -> Void

    /// A delegate that supplies parameters, and errors with a closure.
    private final class Program: AuthSessionDelegate {
        private let parameters: [String: String]?
        private let queue: MarkedQueue?
        private let update: @Sendable (AuthSession, any Error, @escaping Completion) -> Void
        private let calls = Mutex<[String]>([])

        init(
            parameters: [String: String]? = nil,
            queue: MarkedQueue? = nil,
            update: @escaping @Sendable (AuthSession, any Error, @escaping Completion) -> Void = { $2(nil) }
        ) {
            self.parameters = parameters
            self.queue = queue
            self.update = update
        }

        /// The names of the calls so far.
        var names: [String] { self.calls.withLock { $0 } }

        func additionalTokenRefreshParameters(forAuthSession authSession: AuthSession) -> [String: String]? {
            self.calls.withLock { $0.append(self.queue?.isCurrent == true ? "parameters on queue" : "parameters") }
            return self.parameters
        }

        func updateError(
            forAuthSession authSession: AuthSession,
            originalError: any Error,
            completion: @escaping @Sendable ((any Error)?) -> Void
        ) {
            self.calls.withLock { $0.append("error") }
            self.update(authSession, originalError, completion)
        }
    }

    private static let custom = NSError(domain: "SomeCustomDomain", code: 4)

    @Test(
        "Adds the delegate's parameters to the token request",
        .original(
            "GTMAppAuth AuthSessionTests.testAuthorizeSecureRequestWithCompletionAdditionalParametersDelegateCallback"
        )
    )
    func parameters() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(#"{"access_token":"new","token_type":"Bearer"}"#) }
            let tokens: [String: Any] = ["access_token": "old", "expires_in": 0, "refresh_token": "refresh_token"]
            let session = try SessionSamples.session(tokens, receivedAt: program.network.clock.date)
            let delegate = Program(parameters: ["k": "v"])
            session.delegate = delegate
            let request = try SessionSamples.request()
            #expect(await session.failure(authorizing: request) == nil)
            #expect(request.authorization == "Bearer new")
            #expect(program.network.refreshes.map { $0.formValue("k") } == ["v"])
            #expect(delegate.names == ["parameters"])
        }
    }

    @Test(
        "Asks the delegate for parameters before the method returns, even if the token is fresh",
        .original(
            "GTMAppAuth AuthSessionTests.testAuthorizeSecureRequestWithCompletionAdditionalParametersDelegateCallback"
        )
    )
    func parametersWithFreshToken() async throws {
        let session = try SessionSamples.session()
        let queue = MarkedQueue()
        let delegate = Program(queue: queue)
        session.delegate = delegate
        let results = HandlerResults()
        let request = try SessionSamples.request()
        let names = queue.queue.sync {
            session.authorizeRequest(request) { results.add($0) }
            return delegate.names
        }
        #expect(names == ["parameters on queue"])
        #expect(await results.next() == "authorized")
        #expect(delegate.names == names)
    }

    @Test(
        "Asks the delegate for parameters only before a refresh in Tessera's asynchronous methods",
        .original("GTMAppAuth AuthSessionDelegate.additionalTokenRefreshParameters(forAuthSession:)")
    )
    func parametersOfAsynchronousMethods() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(#"{"access_token":"new","token_type":"Bearer"}"#) }
            let tokens = ["access_token": "old", "refresh_token": "refresh_token"]
            let session = try SessionSamples.session(tokens)
            let delegate = Program(parameters: ["k": "v"])
            session.delegate = delegate
            let request = try SessionSamples.request().plain
            #expect(try await session.authorized(request).value(forHTTPHeaderField: "Authorization") == "Bearer old")
            #expect(delegate.names.isEmpty)
            #expect(session.primeForRefresh())
            #expect(try await session.authorized(request).value(forHTTPHeaderField: "Authorization") == "Bearer new")
            #expect(delegate.names == ["parameters"])
            #expect(program.network.refreshes.map { $0.formValue("k") } == ["v"])
        }
    }

    @Test(
        "Reports the delegate's error instead of the original one",
        .original("GTMAppAuth AuthSessionTests.testAuthorizeSecureRequestWithCompletionDidFailDelegateCallback")
    )
    func replacedError() async throws {
        let session = try SessionSamples.session()
        let delegate = Program { $2(Self.custom) }
        session.delegate = delegate
        let error = await session.failure(authorizing: try SessionSamples.request("http://fake.com")) as NSError?
        #expect(error?.domain == "SomeCustomDomain")
        #expect(error?.code == 4)
        #expect(delegate.names == ["parameters", "error"])
    }

    @Test(
        "Reports the original error if the delegate supplies none",
        .original("GTMAppAuth AuthSessionDelegate.updateError(forAuthSession:originalError:completion:)")
    )
    func sameError() async throws {
        let session = try SessionSamples.session()
        let delegate = Program { $2(nil) }
        session.delegate = delegate
        let request = try SessionSamples.request("http://fake.com")
        let error = await session.failure(authorizing: request)
        #expect(error as? AuthSession.Error == .cannotAuthorizeRequest(request.plain))
        #expect(delegate.names == ["parameters", "error"])
    }

    @Test(
        "Passes the session and the original error to the delegate",
        .original("GTMAppAuth AuthSessionDelegate.updateError(forAuthSession:originalError:completion:)")
    )
    func originalError() async throws {
        let session = try SessionSamples.session()
        let seen = Mutex<(session: AuthSession, error: any Error)?>(nil)
        let delegate = Program { authSession, error, completion in
            seen.withLock { $0 = (authSession, error) }
            completion(nil)
        }
        session.delegate = delegate
        let request = try SessionSamples.request("http://fake.com")
        _ = await session.failure(authorizing: request)
        let last = try #require(seen.withLock { $0 })
        #expect(last.session === session)
        #expect(last.error as? AuthSession.Error == .cannotAuthorizeRequest(request.plain))
        #expect(delegate.names.count == 2)
    }

    @Test(
        "Passes AppAuth's error of a failed refresh to the delegate",
        .original("GTMAppAuth AuthSessionDelegate.updateError(forAuthSession:originalError:completion:)")
    )
    func refreshError() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(#"{"error":"invalid_grant"}"#, status: .badRequest) }
            let tokens: [String: Any] = ["access_token": "old", "expires_in": 0, "refresh_token": "refresh_token"]
            let session = try SessionSamples.session(tokens, receivedAt: program.network.clock.date)
            let delegate = Program { _, error, completion in
                completion((error as NSError).domain == OIDOAuthTokenErrorDomain ? Self.custom : nil)
            }
            session.delegate = delegate
            let error = await session.failure(authorizing: try SessionSamples.request()) as NSError?
            #expect(error?.domain == "SomeCustomDomain")
            #expect(delegate.names == ["parameters", "error"])
        }
    }

    @Test(
        "Does not ask the delegate for an error after a success",
        .original("GTMAppAuth AuthSessionDelegate.updateError(forAuthSession:originalError:completion:)")
    )
    func success() async throws {
        let session = try SessionSamples.session()
        let delegate = Program { $2(Self.custom) }
        session.delegate = delegate
        #expect(await session.failure(authorizing: try SessionSamples.request()) == nil)
        #expect(delegate.names == ["parameters"])
    }

    @Test(
        "Reports the original error if the delegate has no method for errors",
        .original("GTMAppAuth AuthSessionDelegateProvideMissingEMMErrorHandling")
    )
    func silentDelegate() async throws {
        let session = try SessionSamples.session()
        let delegate = SilentDelegate()
        session.delegate = delegate
        let request = try SessionSamples.request("http://fake.com")
        let error = await session.failure(authorizing: request)
        #expect(error as? AuthSession.Error == .cannotAuthorizeRequest(request.plain))
        #expect(session.delegate === delegate)
    }

    @Test(
        "Asks the delegate for an error on the main queue",
        .original("GTMAppAuth AuthSessionDelegate.updateError(forAuthSession:originalError:completion:)")
    )
    func mainQueue() async throws {
        let session = try SessionSamples.session()
        let main = MarkedQueue(.main)
        let delegate = Program { $2(main.isCurrent ? Self.custom : nil) }
        session.delegate = delegate
        let (service, queue) = (GTMSessionFetcherService(), MarkedQueue())
        service.callbackQueue = queue.queue
        session.fetcherService = service
        let error = await session.failure(authorizing: try SessionSamples.request("http://fake.com")) as NSError?
        #expect(error?.domain == "SomeCustomDomain")
        #expect(delegate.names.count == 2)
        #expect(session.fetcherService === service)
    }

    @Test(
        "Waits for a delegate that responds later on another queue",
        .original("GTMAppAuth AuthSessionDelegate.updateError(forAuthSession:originalError:completion:)")
    )
    func lateError() async throws {
        let session = try SessionSamples.session()
        let completions = AsyncStream.makeStream(of: Completion.self)
        let delegate = Program { completions.continuation.yield($2) }
        session.delegate = delegate
        let (service, queue) = (GTMSessionFetcherService(), MarkedQueue())
        service.callbackQueue = queue.queue
        session.fetcherService = service
        let results = HandlerResults()
        session.authorizeRequest(try SessionSamples.request("http://fake.com")) { error in
            results.add(error, of: queue.isCurrent ? "on queue " : "")
        }
        let completion = try #require(await completions.stream.first { _ in true })
        await queue.drain()
        #expect(results.count == 0)
        DispatchQueue(label: "background").async { completion(Self.custom) }
        #expect(await results.next() == "on queue SomeCustomDomain 4")
        #expect(delegate.names.count == 2)
        #expect(session.fetcherService === service)
    }

    @Test(
        "Reports only the first error of a delegate that responds twice, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSessionDelegate.updateError(forAuthSession:originalError:completion:)")
    )
    func repeatedError() async throws {
        let session = try SessionSamples.session()
        let delegate = Program { _, _, completion in
            completion(Self.custom)
            completion(NSError(domain: "second", code: 1))
        }
        session.delegate = delegate
        let (service, queue) = (GTMSessionFetcherService(), MarkedQueue())
        service.callbackQueue = queue.queue
        session.fetcherService = service
        let results = HandlerResults()
        session.authorizeRequest(try SessionSamples.request("http://fake.com")) { results.add($0) }
        #expect(await results.next() == "SomeCustomDomain 4")
        await queue.drain()
        #expect(results.count == 1)
        #expect(delegate.names.count == 2)
        #expect(session.fetcherService === service)
    }

    @Test(
        "Reports the original error if the delegate never responds, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSessionDelegate.updateError(forAuthSession:originalError:completion:)")
    )
    func forgottenError() async throws {
        let session = try SessionSamples.session()
        let delegate = Program { _, _, _ in }
        session.delegate = delegate
        let request = try SessionSamples.request("http://fake.com")
        let error = await session.failure(authorizing: request)
        #expect(error as? AuthSession.Error == .cannotAuthorizeRequest(request.plain))
        #expect(delegate.names == ["parameters", "error"])
    }
}

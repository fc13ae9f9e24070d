// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import TesseraDefaults
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraSupport

/// A user agent that records its calls and shows nothing.
final class RecordingAgent: OIDExternalUserAgent, Sendable {
    private struct State {
        var events: [String] = []
        var page: URL?
        var session: ObjectIdentifier?
        var wasDismissedOnMainQueue = false
    }

    private let shows: Bool
    private let state = Mutex(State())

    /// Creates a user agent.
    ///
    /// - Parameter shows: What `present` returns.
    init(shows: Bool = true) { self.shows = shows }

    /// The calls: `present` or `dismiss`.
    var events: [String] { self.state.withLock { $0.events } }
    /// The last page.
    var page: URL? { self.state.withLock { $0.page } }
    /// The last session, which is not retained.
    var session: ObjectIdentifier? { self.state.withLock { $0.session } }
    /// Whether the last dismissal was on the main queue.
    var wasDismissedOnMainQueue: Bool { self.state.withLock { $0.wasDismissedOnMainQueue } }

    func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool {
        let page = request.externalUserAgentRequestURL()
        self.state.withLock { state in
            state.events.append("present")
            state.page = page
            state.session = ObjectIdentifier(session)
        }
        return self.shows
    }

    func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) {
        let isOnMainQueue = MainQueue.isCurrent
        self.state.withLock { state in
            state.events.append("dismiss")
            state.wasDismissedOnMainQueue = isOnMainQueue
        }
        completion()
    }
}

/// The results that a completion handler received.
final class Outcomes<Value: Sendable>: Sendable {
    private let stream = AsyncStream.makeStream(of: Result<Value, any Error>.self)
    private let calls = Mutex(0)

    /// The number of calls.
    var count: Int { self.calls.withLock { $0 } }

    func take(_ value: Value?, _ error: (any Error)?) {
        self.calls.withLock { $0 += 1 }
        let failure = error ?? CocoaError(.coderValueNotFound)
        self.stream.continuation.yield(value.map { .success($0) } ?? .failure(failure))
    }

    /// Returns the next result.
    func next() async throws -> Value {
        guard let result = await self.stream.stream.first(where: { _ in true }) else { throw CancellationError() }
        return try result.get()
    }

    /// Returns the error of the next result, or nil if it is a success.
    func error() async -> NSError? {
        do {
            _ = try await self.next()
            return nil
        } catch {
            return error as NSError
        }
    }
}

/// A presented authorization request.
struct SampleFlow {
    let request: OIDAuthorizationRequest
    let agent: RecordingAgent
    let outcomes = Outcomes<OIDAuthorizationResponse>()
    let flow: any OIDExternalUserAgentSession

    /// Presents a request, which is that of `Samples` by default.
    init(_ request: OIDAuthorizationRequest? = nil, agent: RecordingAgent = RecordingAgent()) throws {
        self.request = try request ?? Samples.authorizationRequest()
        self.agent = agent
        self.flow = OIDAuthorizationService.present(
            self.request,
            externalUserAgent: agent,
            callback: self.outcomes.take
        )
    }

    /// Presents a request with a redirect URL.
    init(redirectURL: String?) throws { try self.init(try Self.request(redirectURL: redirectURL)) }

    /// Passes a redirect to the flow, in which `STATE` stands for the request's state.
    func resume(_ redirect: String) throws -> Bool {
        let text = redirect.replacing("STATE", with: self.request.state ?? "")
        return self.flow.resumeExternalUserAgentFlow(with: try Samples.url(text))
    }

    static func request(
        configuration: OIDServiceConfiguration? = nil,
        redirectURL: String? = "com.example.app:/callback",
        state: String? = "state-secret-2",
        responseType: String = OIDResponseTypeCode
    ) throws -> OIDAuthorizationRequest {
        OIDAuthorizationRequest(
            configuration: try configuration ?? Samples.configuration(),
            clientId: "app",
            clientSecret: nil,
            scope: "openid",
            redirectURL: try redirectURL.map { try Samples.url($0) },
            responseType: responseType,
            state: state,
            nonce: "nonce-secret-3",
            codeVerifier: nil,
            codeChallenge: nil,
            codeChallengeMethod: nil,
            additionalParameters: nil
        )
    }
}

extension MainQueue {
    /// Waits until the closures on the main queue have run, including those that they enqueue.
    static func drain() async {
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        }
    }
}

/// A browser that opens pages of a loopback listener.
enum LoopbackBrowser {
    static func get(_ url: URL, _ path: String) async throws -> HTTPResponse {
        let authority = "\(url.host() ?? ""):\(url.port ?? 0)"
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: path)
        let (response, body) = try await PlatformDefaults.transport(insecure: .loopbackHTTP).send(request, body: nil)
        _ = try await body.collect(upTo: 1 << 20)
        return response
    }
}

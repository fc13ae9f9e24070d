// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

/// A scripted network for fetchers, with a clock.
struct FetcherNetwork: Sendable {
    static let url = "https://api.example/files"

    let clock: TestClock
    let transport: ScriptedTransport
    /// Whether the clock advances to the end of each wait that is shorter than a minute.
    private let endsWaits: Bool

    init(clock: TestClock = TestClock(), endsWaits: Bool = true, _ script: @escaping ScriptedTransport.Script) {
        self.clock = clock
        self.transport = ScriptedTransport(script)
        self.endsWaits = endsWaits
    }

    /// Creates a network with responses in their order.
    init(endsWaits: Bool = true, _ responses: ScriptedResponse...) {
        self.clock = TestClock()
        self.transport = ScriptedTransport(responses)
        self.endsWaits = endsWaits
    }

    var requests: [RecordedRequest] { self.transport.requests }

    /// Runs an app's code with the network and the clock.
    func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        var runtime = OAuthRuntime.testing(transport: self.transport, clock: self.clock)
        if self.endsWaits { runtime.clock = SelfAdvancingClock(moving: self.clock) }
        return try await AppAuthEnvironment.$ofTask.withValue(AppAuthEnvironment(runtime: runtime)) { try await body() }
    }

    /// Returns a fetcher with its own callback queue.
    func fetcher(_ url: String = FetcherNetwork.url) throws -> GTMSessionFetcher {
        let fetcher = GTMSessionFetcher(url: try #require(URL(string: url)))
        fetcher.callbackQueue = DispatchQueue(label: "fetcher")
        return fetcher
    }

    /// Returns a service whose fetchers have a callback queue other than the main queue.
    func service() -> GTMSessionFetcherService {
        let service = GTMSessionFetcherService()
        service.callbackQueue = DispatchQueue(label: "service")
        return service
    }
}

extension ScriptedResponse {
    /// Returns a response with a plain text.
    static func text(
        _ text: String = "",
        _ status: HTTPResponse.Status = .ok,
        _ fields: HTTPFields = [:]
    ) -> ScriptedResponse {
        var fields = fields
        fields[.contentType] = "text/plain"
        return ScriptedResponse(HTTPResponse(status: status, headerFields: fields), body: HTTPBody(text))
    }

    /// Returns a redirect.
    static func redirect(to location: String, _ status: HTTPResponse.Status = .found) -> ScriptedResponse {
        .text("moved", status, [.location: location])
    }

    /// Returns a response whose body arrives in parts, and then fails if there is an error.
    static func parts(_ parts: [String], length: Int64?, error: TransportError? = nil) -> ScriptedResponse {
        let body = HTTPBody(length: length, isReplayable: false) {
            var rest = parts[...]
            return {
                if let part = rest.popFirst() { return Array(part.utf8) }
                if let error { throw error }
                return nil
            }
        }
        return ScriptedResponse(HTTPResponse(status: .ok), body: body)
    }
}

extension RecordedRequest {
    var authorization: String? { self.head.headerFields[.authorization] }
}

/// A decision for a fetcher, which another thread can supply.
///
/// The conformance to `Sendable` is `@unchecked` because the closures of the original's API are not `Sendable`. The
/// fetcher accepts decisions from any thread.
struct FetcherDecision: @unchecked Sendable {
    let supply: () -> Void

    func supplyOnAnotherThread() { DispatchQueue.global().async { self.supply() } }
}

/// Waits until the task is canceled.
func waitForCancellation() async {
    let gate = TesseraTesting.Gate()
    await withTaskCancellationHandler {
        await gate.pass()
    } onCancel: {
        gate.open()
    }
}

/// The values that a completion handler received.
struct FetcherResult: Sendable {
    let data: Data?
    let error: NSError?

    var text: String? { self.data.map { String(decoding: $0, as: UTF8.self) } }
}

extension GTMSessionFetcher {
    /// Fetches, and returns the values that the completion handler received.
    func result() async -> FetcherResult {
        await withCheckedContinuation { continuation in
            self.beginFetch { data, error in
                continuation.resume(returning: FetcherResult(data: data, error: error as NSError?))
            }
        }
    }

    /// Waits until the fetch has ended or has been stopped, or the test's time is over.
    func waitForEnd() async {
        while self.isFetching, !Task.isCancelled { await Task.yield() }
    }
}

/// The calls of an app's closures, in order.
final class FetcherLog: Sendable {
    private let lines = Mutex<[String]>([])

    var entries: [String] { self.lines.withLock { $0 } }

    func add(_ line: String) { self.lines.withLock { $0.append(line) } }

    /// Records the call of a completion handler.
    func add(_ data: Data?, _ error: (any Error)?) {
        let text = data.map { String(decoding: $0, as: UTF8.self) } ?? "nil"
        self.add("\(text) \((error as NSError?)?.code ?? 0)")
    }

    /// Waits until there are at least as many entries, or the test's time is over.
    func count(reaches count: Int) async {
        while self.entries.count < count, !Task.isCancelled { await Task.yield() }
    }
}

/// The notifications about a fetcher, in order.
final class FetcherNotifications {
    private static let names: [Notification.Name: String] = [
        .gtmSessionFetcherStarted: "started", .gtmSessionFetcherStopped: "stopped",
        .gtmSessionFetcherRetryDelayStarted: "wait", .gtmSessionFetcherRetryDelayStopped: "waited",
        .gtmSessionFetcherCompletionInvoked: "invoked",
    ]

    let log = FetcherLog()
    private let observers: [any NSObjectProtocol]

    init(_ fetcher: GTMSessionFetcher) {
        let log = self.log
        self.observers = Self.names.map { name, text in
            NotificationCenter.default.addObserver(forName: name, object: fetcher, queue: nil) { notification in
                let data = notification.userInfo?[kGTMSessionFetcherCompletionDataKey] as? Data
                let error = notification.userInfo?[kGTMSessionFetcherCompletionErrorKey] as? any Error
                let code = error.map { "\(($0 as NSError).code)" }
                let details = [data.map { String(decoding: $0, as: UTF8.self) }, code]
                log.add(([text] + details.compactMap(\.self)).joined(separator: " "))
            }
        }
    }

    deinit { for observer in self.observers { NotificationCenter.default.removeObserver(observer) } }
}

/// An authorizer that numbers the tokens that it adds.
final class NumberingAuthorizer: GTMSessionFetcherAuthorizer {
    enum Behavior: Sendable {
        /// The handler is called at once.
        case immediate
        /// The handler is called on another thread.
        case later
        /// The handler is retained and never called.
        case never
        case fails(NSError)
    }

    private struct State {
        var count = 0
        var stops: [URLRequest] = []
        var handlers: [Handler] = []
        weak var service: (any GTMSessionFetcherServiceProtocol)?
    }

    /// A handler, which the test only retains.
    private struct Handler: @unchecked Sendable {
        let body: ((any Error)?) -> Void
    }

    private let behavior: Behavior
    private let canRefresh: Bool
    private let state = Mutex(State())
    /// Resumes a test when an authorization has begun.
    let arrival = TesseraTesting.Gate()

    init(_ behavior: Behavior = .immediate, canRefresh: Bool = false) {
        self.behavior = behavior
        self.canRefresh = canRefresh
    }

    /// The number of authorizations.
    var count: Int { self.state.withLock { $0.count } }
    /// The requests whose authorization was stopped.
    var stops: [URLRequest] { self.state.withLock { $0.stops } }

    func authorizeRequest(
        _ request: NSMutableURLRequest?,
        completionHandler handler: @escaping ((any Error)?) -> Void
    ) {
        let handler = Handler(body: handler)
        let count = self.state.withLock { state in
            state.count += 1
            if case .never = self.behavior { state.handlers.append(handler) }
            return state.count
        }
        self.arrival.open()
        switch self.behavior {
        case .never: break
        case .fails(let error): handler.body(error)
        case .immediate, .later:
            request?.setValue("Own \(count)", forHTTPHeaderField: "Authorization")
            guard case .later = self.behavior else { return handler.body(nil) }
            DispatchQueue.global().async { handler.body(nil) }
        }
    }

    func stopAuthorization() {}
    func stopAuthorization(for request: URLRequest) { self.state.withLock { $0.stops.append(request) } }
    func isAuthorizingRequest(_ request: URLRequest) -> Bool { false }
    func isAuthorizedRequest(_ request: URLRequest) -> Bool {
        request.value(forHTTPHeaderField: "Authorization") != nil
    }
    var userEmail: String? { nil }
    var fetcherService: (any GTMSessionFetcherServiceProtocol)? {
        get { self.state.withLock { $0.service } }
        set { self.state.withLock { $0.service = newValue } }
    }
    func primeForRefresh() -> Bool { self.canRefresh }
}

/// A folder that is removed after a test.
enum FetcherFolder {
    static func run<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(component: "fetcher-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}

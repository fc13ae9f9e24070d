// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraSupport

/// The calls and imports of programs, which use many of a fetcher's settings and have their own random numbers.
final class ProgramFetches: Sendable {
    /// A session that a process uses for an operation.
    struct Use: Sendable {
        let session: OAuthSession
        let process: SimulatedProcess
        /// The number of the operation.
        let operation: Int

        var issuer: SimulatedIssuer { SimulatedIssuer(of: self.session.account.name) }
        var host: String { self.issuer.apiHost }
    }

    /// The values that the fetchers of a process share.
    struct Shared: Sendable {
        let limiter: HostLimiter
        let running = RunningCalls()
        let nonces = DPoPNonces()
    }

    struct State {
        var random: SeededGenerator
        var lastCall = 0
        var lastUpload = 1_000
        var shared: [ProcessID: Shared] = [:]
        var imports: [ImportOwner: UnfinishedImport] = [:]

        mutating func pick<Value>(_ values: [Value]) -> Value { values[self.random.below(values.count)] }
    }

    let simulation: Simulation
    let state: Mutex<State>

    init(in simulation: Simulation) {
        self.simulation = simulation
        self.state = Mutex(State(random: simulation.generator(.fetch, 1)))
    }

    /// Returns whether a session is released before an operation.
    func releasesSession() -> Bool { self.chance(20) }

    /// Performs an operation, and prints the error if it fails.
    func perform(
        _ kind: SessionOperation.Kind,
        _ operation: Int,
        with session: OAuthSession,
        in process: SimulatedProcess
    ) async throws {
        let use = Use(session: session, process: process, operation: operation)
        do {
            switch kind {
            case .limitedCalls: try await self.limitedCalls(use)
            case .throttledCall: try await self.throttledCall(use)
            case .deniedCall: try await self.deniedCall(use)
            case .movedCall: try await self.movedCall(use)
            case .boundCall: try await self.boundCall(use)
            case .configuredCall: try await self.configuredCall(use)
            case .interceptedCall: try await self.interceptedCall(use)
            case .importCall: try await self.performImport(use)
            case .canceledImport: try await self.cancelImport(use)
            default: break
            }
        } catch {
            self.show(error, to: use)
            throw error
        }
    }

    /// Prints an error for the user, whose text must not contain a token.
    func show(_ error: any Error, to use: Use) {
        var text = "\(error)"
        if let guidance = error as? any ErrorGuidance {
            let advice = guidance.isRetryable ? "Try again." : guidance.recoverySuggestion ?? ""
            text += "\(guidance.errorDescription ?? "") \(guidance.recoverySuggestion ?? "") \(advice)"
        }
        for kind in ["access", "refresh"] where text.contains("\(kind).\(use.session.account.name).") {
            self.simulation.report(.onlyAuthorizedOrigins, "operation \(use.operation) printed a token: \(text)")
        }
    }

    // MARK: Calls

    /// Makes several calls at once, of which one or two run at a time.
    ///
    /// In some cases, the program uses the first response and cancels the other calls.
    private func limitedCalls(_ use: Use) async throws {
        let shared = self.shared(by: use.process)
        // A program sheds load if too many calls are waiting.
        guard shared.limiter.waiting(at: use.host) < 8 else { throw BusyError() }
        let settings = FetchSettings(interceptors: [shared.running], limiter: shared.limiter)
        let fetcher = self.fetcher(use, settings)
        let (count, usesFirst) = self.state.withLock { (2 + $0.random.below(4), $0.random.chance(40)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await self.limitedCall(use, fetcher) } }
            if usesFirst {
                try await group.next()
                group.cancelAll()
                while await group.nextResult() != nil {}
            } else {
                try await group.waitForAll()
            }
        }
        if shared.running.most > shared.limiter.callsPerHost {
            self.simulation.report(.everyWaiterGetsAResult, "\(shared.running.most) calls to a host ran at once")
        }
    }

    /// Makes a call whose response is read as a whole, read in chunks, or released.
    private func limitedCall(_ use: Use, _ fetcher: AuthorizedFetcher) async throws {
        let (request, call) = try self.request("/service/page", use)
        let (kind, priority) = self.state.withLock { ($0.random.below(4), $0.random.below(3)) }
        let options = CallOptions(priority: priority)
        switch kind {
        case 0: self.check(try await fetcher.data(for: request, options: options), of: call)
        case 1:
            let (_, body) = try await fetcher.opened(request, options: options)
            var bytes: [UInt8] = []
            for try await chunk in body { bytes += chunk }
            self.check(bytes, of: call)
        case 2:
            let (_, body) = try await fetcher.send(request, options: options)
            for try await _ in body {}
        default: _ = try await fetcher.send(request, options: options)
        }
    }

    // MARK: Common parts

    func chance(_ percent: Int) -> Bool { self.state.withLock { $0.random.chance(percent) } }

    func pick<Value: Sendable>(_ values: [Value]) -> Value { self.state.withLock { $0.pick(values) } }

    func shared(by process: SimulatedProcess) -> Shared {
        self.state.withLock { state in
            if let known = state.shared[process.id] { return known }
            let shared = Shared(limiter: HostLimiter(callsPerHost: 1 + state.random.below(2)))
            state.shared[process.id] = shared
            return shared
        }
    }

    /// Returns the runtime of a process with random numbers that other operations do not use.
    func runtime(of process: SimulatedProcess) -> OAuthRuntime {
        var runtime = process.runtime
        runtime.randomBytes = { count in
            self.state.withLock { state in (0..<count).map { _ in UInt8(truncatingIfNeeded: state.random.next()) } }
        }
        return runtime
    }

    func fetcher(_ use: Use, _ settings: FetchSettings = FetchSettings()) -> AuthorizedFetcher {
        AuthorizedFetcher(use.session, runtime: self.runtime(of: use.process), settings: settings)
    }

    /// Returns a request to the API with the number of a new call.
    func request(
        _ path: String,
        _ use: Use,
        method: HTTPRequest.Method = .get
    ) throws -> (request: HTTPRequest, call: Int) {
        let call = self.nextCall()
        return (try HTTPRequest(method: method, url: "https://\(use.host)\(path)?call=\(call)"), call)
    }

    func nextCall() -> Int {
        self.state.withLock { state in
            state.lastCall += 1
            return state.lastCall
        }
    }

    /// Checks that a response is complete and belongs to a call.
    func check(_ bytes: [UInt8], of call: Int) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text != #"{"call": \#(call)}"# else { return }
        self.simulation.report(.everyWaiterGetsAResult, "call \(call) received the response \"\(text)\"")
    }
}

/// An error of a program that makes too many calls.
private struct BusyError: Error {}

/// Counts the calls that run at once.
final class RunningCalls: FetchInterceptor {
    private let state = Mutex((current: 0, most: 0))

    /// The largest number of calls that ran at once.
    var most: Int { self.state.withLock { $0.most } }

    func intercept(
        _ request: HTTPRequest,
        body: HTTPBody?,
        next: FetchChain
    ) async throws -> (HTTPResponse, HTTPBody) {
        self.state.withLock { state in
            state.current += 1
            state.most = max(state.most, state.current)
        }
        defer { self.state.withLock { $0.current -= 1 } }
        return try await next(request, body)
    }
}

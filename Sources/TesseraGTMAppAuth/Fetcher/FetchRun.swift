// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation
internal import HTTPTypes
internal import TesseraFetch
internal import TesseraOAuth

/// A fetch with its retries.
struct FetchRun: Sendable {
    /// The statuses after which a fetcher retries.
    private static let retryableStatuses: Set<Int> = [408, 502, 503, 504]
    /// The network errors after which a fetcher retries.
    private static let retryableCodes: Set<Int> = [NSURLErrorTimedOut, NSURLErrorNetworkConnectionLost]

    let fetcher: GTMSessionFetcher
    /// The number of bytes that later requests of the same upload send.
    let laterLength: Int64

    init(_ fetcher: GTMSessionFetcher, followedBy laterLength: Int64 = 0) {
        self.fetcher = fetcher
        self.laterLength = laterLength
    }

    var state: FetcherState { self.fetcher.snapshot() }

    /// Returns the state.
    ///
    /// - Throws: `CancellationError` if the fetcher has been stopped. The task is canceled a little later.
    @discardableResult
    func activeState() throws -> FetcherState {
        let state = self.state
        if state.isStopped { throw CancellationError() }
        return state
    }

    /// Changes the state unless the fetcher has been stopped.
    func update(_ body: (inout FetcherState) -> Void) {
        self.fetcher.update { if !$0.isStopped { body(&$0) } }
    }

    /// Performs the fetch.
    ///
    /// - Returns: The result of the last attempt. Its error states how many retries there were.
    func result() async -> FetchResult {
        let runtime = try? AppAuthEnvironment.current().runtime
        let begin = runtime?.uptime() ?? 0
        var hasRefreshed = false
        while true {
            let attempt = await self.attempt()
            guard let error = attempt.result.error else { return attempt.result }
            let elapsed = TimeInterval((runtime?.uptime() ?? 0) - begin) / 1e9
            let isRefresh = !hasRefreshed && self.refreshesAuthorization(after: attempt)
            guard await self.retries(after: attempt, isRefresh: isRefresh, elapsed: elapsed) else {
                return FetchResult(data: attempt.result.data, error: self.completed(error, elapsed: elapsed))
            }
            if isRefresh {
                hasRefreshed = true
                // The authorizer adds another token.
                self.update { $0.request?.setValue(nil, forHTTPHeaderField: "Authorization") }
            } else {
                await self.waitBeforeRetry(runtime?.clock ?? ContinuousClock())
            }
            // A stop ends the wait, and nothing must be sent after it.
            if self.state.isStopped { return attempt.result }
            self.update { $0.retryCount += 1 }
        }
    }

    /// Returns whether the authorizer can replace the token that the server has rejected.
    private func refreshesAuthorization(after attempt: FetchAttempt) -> Bool {
        guard attempt.response?.status == .unauthorized, attempt.isRepeatable,
            let authorizer = self.state.settings.authorizer
        else { return false }
        // An `AuthSession` has already replaced the token and repeated the request.
        return !(authorizer is AuthSession) && authorizer.primeForRefresh()
    }

    /// Returns whether there is another attempt.
    private func retries(after attempt: FetchAttempt, isRefresh: Bool, elapsed: TimeInterval) async -> Bool {
        guard !attempt.isFinal else { return false }
        let now = AppAuthEnvironment.now()
        let required = attempt.response?.retryAfter(at: now).map { TimeInterval($0.components.seconds) }
        self.update { $0.retryAfter = required }
        let state = self.state
        let limit = state.maxRetryInterval
        let isWithinLimits = elapsed <= 3 * limit && (required != nil || state.nextRetryInterval < limit)
        guard isRefresh || state.settings.isRetryEnabled && isWithinLimits else { return false }
        let suggestion = isRefresh || attempt.isRepeatable && Self.isTemporary(attempt)
        guard state.settings.retryBlock != nil else { return suggestion }
        return await self.ask(otherwise: false) { $0.settings.retryBlock?(suggestion, attempt.result.error, $1) }
    }

    private static func isTemporary(_ attempt: FetchAttempt) -> Bool {
        if let status = attempt.response?.status.code, self.retryableStatuses.contains(status) { return true }
        let error = attempt.result.error as NSError?
        return error?.domain == NSURLErrorDomain && self.retryableCodes.contains(error?.code ?? 0)
    }

    private func waitBeforeRetry(_ clock: any Clock<Duration>) async {
        // A duration cannot represent all numbers.
        let interval = min(self.state.nextRetryInterval, 1e9)
        self.update { $0.lastRetryInterval = interval }
        self.fetcher.post(.gtmSessionFetcherRetryDelayStarted)
        try? await clock.sleep(for: .seconds(interval))
        self.fetcher.post(.gtmSessionFetcherRetryDelayStopped)
    }

    /// Returns an error with the number of retries before it.
    private func completed(_ error: any Error, elapsed: TimeInterval) -> any Error {
        let count = self.state.retryCount
        guard count > 0 else { return error }
        let retries: [String: Any] = [
            kGTMSessionFetcherNumberOfRetriesDoneKey: Int(count),
            kGTMSessionFetcherElapsedIntervalWithRetriesKey: elapsed,
        ]
        if let error = error as? URLError {
            return URLError(error.code, userInfo: error.userInfo.merging(retries) { $1 })
        }
        // Other errors are the authorizer's or the app's, whose types must not change.
        guard type(of: error) is NSError.Type else { return error }
        let known = error as NSError
        return NSError(domain: known.domain, code: known.code, userInfo: known.userInfo.merging(retries) { $1 })
    }
}

/// An attempt of a fetch.
struct FetchAttempt: Sendable {
    var result: FetchResult
    /// The response, or nil if there was none.
    var response: HTTPResponse?
    /// Whether the same body can be sent again.
    var isRepeatable = true
    /// Whether the request could not be sent, so that there is no retry.
    var isFinal = false
}

/// Closures of the app, which are called on the callback queue.
extension FetchRun {
    /// Calls a closure with the current state on the callback queue, and returns when it has returned.
    ///
    /// If the fetcher is stopped, the closure is not called.
    func call(_ body: @escaping @Sendable (FetcherState) -> Void) async {
        await self.ask(otherwise: ()) { state, done in
            body(state)
            done(())
        }
    }

    /// Calls a closure with the current state on the callback queue, and returns the decision that it supplies, then or
    /// later.
    ///
    /// If the fetcher is stopped, or the closure releases its second argument without a decision, the result is
    /// `otherwise`.
    func ask<Decision: Sendable>(
        otherwise: Decision,
        _ body: @escaping @Sendable (FetcherState, @escaping @Sendable (Decision) -> Void) -> Void
    ) async -> Decision {
        await SharedResult.value(otherwise: otherwise) { decide in
            self.state.callbackQueue.async {
                let state = self.state
                if !state.isStopped { body(state, decide) }
            }
        }
    }
}

extension NSError {
    /// Creates an error for an HTTP status.
    ///
    /// The body is nil if it is too long to report.
    static func fetcher(status: Int, body: Data?, contentType: String?) -> NSError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: "The server responded with status \(status)."]
        if let body, !body.isEmpty {
            userInfo[kGTMSessionFetcherStatusDataKey] = body
            userInfo[kGTMSessionFetcherStatusDataContentTypeKey] = contentType
        }
        return NSError(domain: kGTMSessionFetcherStatusDomain, code: status, userInfo: userInfo)
    }
}

/// Maps errors to the domains that GTMSessionFetcher uses.
enum FetchErrors {
    static func mapped(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError: URLError(.cancelled)
        case let error as TransportError:
            URLError(Self.code(of: error), userInfo: [NSLocalizedDescriptionKey: error.description])
        case let error as InvalidRequestError: NSError.fetcher(.taskCreationFailed, error.description)
        case let error as FileError: CocoaError(.fileReadUnknown, userInfo: [NSUnderlyingErrorKey: error])
        default: error
        }
    }

    private static func code(of error: TransportError) -> URLError.Code {
        switch error {
        case TransportError.Code.connectionLost: .networkConnectionLost
        case TransportError.Code.timedOut: .timedOut
        case TransportError.Code.nameResolution: .cannotFindHost
        case TransportError.Code.cannotConnect, TransportError.Code.unusableProxy: .cannotConnectToHost
        case TransportError.Code.tls: .secureConnectionFailed
        case TransportError.Code.insecureURL: .appTransportSecurityRequiresSecureConnection
        case TransportError.Code.invalidURL: .badURL
        case TransportError.Code.bodyTooLarge: .dataLengthExceedsMaximum
        case TransportError.Code.invalidResponse: .badServerResponse
        default: .unknown
        }
    }
}
